import type { IncomingMessage, ServerResponse } from 'node:http'
import { createCanaryWatch } from '../../api-keys/canary/watch.ts'
import type { Refusals } from '../../audit/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { RequestCtx } from '../../graphql/builder.ts'
import { MAX_BODY_BYTES } from '../../graphql/limits.ts'
import type { RecordRequest } from '../../http/access-log.ts'
import type { BulkOf } from '../../http/bulk-body.ts'
import { createClientAddress } from '../../http/client-address.ts'
import type { Cors } from '../../http/cors.ts'
import { headersOfAll, REQUEST_ID } from '../../http/headers.ts'
import {
  discardRest,
  type HttpAnswer,
  type HttpCall,
  isBodyBuffered,
  readJsonText,
  sendAnswer,
} from '../../http/http-io.ts'
import { graphqlType } from '../../http/media-type.ts'
import type { RecordRefusal } from '../../http/refusal-log.ts'
import { yieldToOthers } from '../../lib/event-loop.ts'
import { plainAddress, sourceOf } from '../../lib/source.ts'
import type { AcceptedKey } from '../../verify-key.ts'
import { errorAnswer, toAppError } from '../error-response.ts'
import { addSunsetHeaders } from '../key-headers.ts'
import type { KeyLimits } from '../key-limits.ts'
import { jsonRpcError } from '../mcp/json-rpc.ts'
import type { RateLimits } from '../rate-limit.ts'
import { addRateLimit, limitsAfter } from '../rate-limit-headers.ts'
import { createRequestContext } from '../request-context.ts'
import { createAuthentication } from './authenticate.ts'
import type { ApiCall } from './call.ts'
import { createRequestCount } from './limits.ts'
import { createRecord } from './record.ts'

type Answer = (call: HttpCall, ctx: RequestCtx) => Promise<HttpAnswer>

interface Parts {
  /** What answers at each path once the key is accepted. */
  endpoints: Record<ApiCall['endpoint'], Answer>
  limits: RateLimits | undefined
  keyLimits: KeyLimits
  newRequestId: () => string
  cors: Cors | undefined
  recordRequest: RecordRequest
  recordRefusal: RecordRefusal
  bulkOf: BulkOf
  refusals: Refusals
}

/**
 * `/graphql` and `/mcp`: a valid key is an Admin of its organization (A2, A3). No cookie is ever read here. It runs on
 * node:http itself: see docs/decisions/0010.
 */
export function createApiRoute(deps: Deps, parts: Parts) {
  const { config, database, now, log } = deps
  const { endpoints, limits, keyLimits, newRequestId, cors, recordRequest, recordRefusal, bulkOf, refusals } = parts
  const { usage, record, close: closeRecord } = createRecord(deps, recordRequest)
  const canaries = createCanaryWatch(deps)
  const authenticate = createAuthentication({ database, now, limits, usage, canaries, refusals })
  const countRequest = createRequestCount(limits, keyLimits)
  const contextOf = createRequestContext(deps)
  const clientAddress = createClientAddress(config)
  const headersOfEvery = Object.entries(headersOfAll(config)).flat()

  /**
   * The key is looked up before the body is read, so that a request without a valid key costs almost nothing; and again
   * after a wait, for the body or for its turn: it may have been revoked or restricted in the meantime (C12).
   */
  async function answer(call: ApiCall): Promise<HttpAnswer> {
    const { request } = call
    const preflight = cors?.preflight(request)
    if (preflight) return preflight
    const isWhole = isBodyBuffered(request)
    let key = await authenticate(call)
    const charge = await countRequest(call, key.caller)
    const body = await readJsonText(request, MAX_BODY_BYTES, bulkOfKey(call, key))
    const turn = yieldToOthers(() => key.caller.organizationId)
    if (turn !== undefined) await turn
    const hasWaited = turn !== undefined || (body !== null && !isWhole)
    if (hasWaited) key = await authenticate(call)
    const { caller, rotated } = key
    const { requestId, address, rateLimit } = call
    const ctx = contextOf({ caller, requestId, address, socket: request.socket, rateLimit, charge })
    const { method = '', url = '', headers } = request
    const answered = await endpoints[call.endpoint]({ method, url, headers, body }, ctx).finally(() => note(call, ctx))
    return rotated ? addSunsetHeaders(answered, rotated) : answered
  }

  /** A key that only reads sends no lists of inputs. */
  const bulkOfKey = ({ endpoint }: ApiCall, { caller: { organizationId, rules } }: AcceptedKey) =>
    rules.access === 'READ_ONLY' || endpoint === '/mcp' ? undefined : bulkOf(organizationId)

  function note(call: ApiCall, ctx: RequestCtx): void {
    const { refusals: codes, operation, accessedFields: fields = [], rateLimit } = ctx
    if (codes) recordRefusal({ ...ctx, address: call.address, codes })
    Object.assign(call, { operation, fields, rateLimit, codes })
  }

  async function refuse(call: ApiCall, error: unknown): Promise<HttpAnswer> {
    await yieldToOthers(() => sourceOf(call.address)) // a thousand refusals at once are not written in one go
    const shown = toAppError(error, log)
    call.codes = [shown.code]
    if (shown.details.limit !== undefined) Object.assign(call, limitsAfter(shown, call, now()))
    if (call.endpoint === '/mcp') return jsonRpcError(shown, call.requestId)
    return errorAnswer(shown, call.requestId, graphqlType(call.request.headers.accept))
  }

  async function serve(call: ApiCall): Promise<void> {
    const answered = await answer(call).catch((error: unknown) => refuse(call, error))
    discardRest(call.request)
    sendAnswer(call.response, answered, addRateLimit([...headersOfEvery, REQUEST_ID, call.requestId], call, now))
    record(call, answered.status)
  }

  return {
    handle(request: IncomingMessage, response: ServerResponse): void {
      const call: ApiCall = {
        request,
        response,
        endpoint: isMcp(request.url ?? '') ? '/mcp' : '/graphql',
        startedAt: performance.now(),
        requestId: newRequestId(),
        address: plainAddress(clientAddress.address(request)),
        policies: '',
        rateLimit: undefined,
      }
      setImmediate(() => void serve(call)) // by then, a body that came with the head is there
    },
    /** After the last call: writes the collected counts. */
    async close(): Promise<void> {
      await Promise.all([closeRecord(), canaries.close()])
    },
  }
}

/** Which of the two it is: the server passes no other path. */
const isMcp = (url: string) => url !== '/graphql' && /^(?:https?:\/\/[^/]*)?\/mcp\b/.test(url)
