import type { GraphQLSchema } from 'graphql'
import { type Config, originOf } from '../../config.ts'
import type { RequestCtx } from '../../graphql/builder.ts'
import { POINTS_OF_A_MESSAGE, pointsForBody } from '../../graphql/cost.ts'
import type { HttpAnswer, HttpCall } from '../../http/http-io.ts'
import { AppError } from '../../lib/app-error.ts'
import { isOfThisMachine, withoutRootDot } from '../../lib/host.ts'
import type { Log } from '../../lib/log.ts'
import type { createGraphqlHandler } from '../graphql-handler.ts'
import { jsonRpcError, jsonRpcResult, readMessage } from './json-rpc.ts'
import { serve } from './serve.ts'
import { createTools } from './tools.ts'

interface Parts {
  schema: GraphQLSchema
  /** Of `/graphql`. */
  answer: ReturnType<typeof createGraphqlHandler>
  config: Config
  log: Log
}

/**
 * `/mcp`: the Model Context Protocol over HTTP, without sessions and streams. It runs behind the same route as
 * `/graphql`, which has looked the key up and counted the request; each message is a request of its own.
 */
export function createMcpAnswer({ schema, answer, config, log }: Parts) {
  const callTool = createTools(schema, answer, log)

  return async function answerMcp(call: HttpCall, ctx: RequestCtx): Promise<HttpAnswer> {
    requireOwnOrigin(call, config)
    if (call.method !== 'POST') return notAllowed(ctx)
    if (call.body === null)
      throw new AppError('BAD_REQUEST', { status: 415, message: 'Send JSON, with Content-Type: application/json.' })
    ctx.bodyPoints = pointsForBody(call.body)
    if (ctx.charge) ctx.rateLimit = await ctx.charge(POINTS_OF_A_MESSAGE - 1 + ctx.bodyPoints)
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

function notAllowed({ requestId }: RequestCtx): HttpAnswer {
  const message = 'Use POST. This endpoint has no sessions and no streams: each message is answered at once.'
  const refused = jsonRpcError(new AppError('BAD_REQUEST', { status: 405, message }), requestId)
  return { ...refused, headers: { ...refused.headers, allow: 'POST' } }
}
