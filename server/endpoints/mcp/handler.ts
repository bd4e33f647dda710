import type { GraphQLSchema } from 'graphql'
import { type Config, originOf } from '../../config.ts'
import type { RequestCtx } from '../../graphql/builder.ts'
import { POINTS_OF_A_MESSAGE } from '../../graphql/cost.ts'
import type { HttpCall } from '../../http/body.ts'
import type { HttpAnswer } from '../../http/send-answer.ts'
import { AppError } from '../../lib/app-error.ts'
import { isOfThisMachine, withoutRootDot } from '../../lib/host.ts'
import type { Log } from '../../lib/log.ts'
import type { Graphql } from '../graphql/answer.ts'
import { chargeForBody } from '../graphql/operation.ts'
import { jsonRpcResult, readMessage } from './json-rpc.ts'
import { serve } from './serve-message.ts'
import { createTools } from './tools.ts'

interface Parts {
  schema: GraphQLSchema
  graphql: Graphql
  config: Config
  log: Log
}

/**
 * `/mcp`: the Model Context Protocol over HTTP, without sessions and streams. It runs behind the same route as
 * `/graphql`, which has looked the key up and counted the request; each message is a request of its own.
 */
export function createMcpAnswer({ schema, graphql, config, log }: Parts) {
  const callTool = createTools(schema, graphql, log)

  return async function answerMcp(call: HttpCall, ctx: RequestCtx): Promise<HttpAnswer> {
    requireOwnOrigin(call, config)
    if (call.method !== 'POST') throw notAllowed()
    if (call.body === null)
      throw new AppError('BAD_REQUEST', { status: 415, message: 'Send JSON, with Content-Type: application/json.' })
    await chargeForBody(ctx, call.body, POINTS_OF_A_MESSAGE - 1)
    const message = readMessage(call.body)
    if (message.id === undefined) return { status: 202, headers: {}, body: '' }
    return jsonRpcResult(message.id, await serve(message, call.headers, callTool, ctx))
  }
}

/**
 * A page of another site, in a browser that reaches the portal, must not use it. Its own address is no proof: that site
 * may have pointed its name there.
 */
function requireOwnOrigin({ headers: { origin } }: HttpCall, config: Config): void {
  if (origin === undefined) return
  const from = withoutRootDot(origin)
  if (from === originOf(config) || config.corsOrigins === '*' || config.corsOrigins?.has(from)) return
  const isLocal = !config.baseUrl && URL.canParse(origin) && isOfThisMachine(new URL(origin).hostname)
  if (!isLocal) throw new AppError('FORBIDDEN', { message: 'Requests from the pages of other sites are refused.' })
}

const notAllowed = () =>
  new AppError('BAD_REQUEST', {
    status: 405,
    message: 'Use POST. This endpoint has no sessions and no streams: each message is answered at once.',
    headers: { allow: 'POST' },
  })
