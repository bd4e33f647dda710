import type { Deps } from '../../caller/deps.ts'
import { errorAnswer, toAppError } from '../../http/error-response.ts'
import { graphqlType } from '../../http/media-type.ts'
import type { HttpAnswer } from '../../http/send-answer.ts'
import { sourceOf } from '../../lib/client-address.ts'
import { waitForTurn } from '../../lib/event-loop.ts'
import { jsonRpcError } from '../mcp/json-rpc.ts'
import { limitsAfter } from '../rate-limit.ts'
import type { ApiCall } from './call.ts'

/** Answers a call that failed before its operation ran, in the form of its endpoint. */
export function createRefusal({ log, now }: Pick<Deps, 'log' | 'now'>) {
  return async function refuse(call: ApiCall, error: unknown): Promise<HttpAnswer> {
    await waitForTurn(() => sourceOf(call.address)) // a thousand refusals at once are not written in one go
    const shown = toAppError(error, log)
    call.codes = [shown.code]
    if (shown.details.limit !== undefined) Object.assign(call, limitsAfter(shown, call, now()))
    if (call.endpoint === '/mcp') return jsonRpcError(shown, call.requestId)
    return errorAnswer(shown, call.requestId, graphqlType(call.request.headers.accept))
  }
}
