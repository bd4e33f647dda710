import type { GraphQLSchema } from 'graphql'
import { type Config, originOf } from '../../config.ts'
import type { RequestCtx } from '../../graphql/builder.ts'
import { pointsForBody } from '../../graphql/points.ts'
import type { HttpAnswer, HttpCall } from '../../http/http-io.ts'
import { AppError } from '../../lib/app-error.ts'
import { isOfThisMachine, withoutRootDot } from '../../lib/host.ts'
import type { Log } from '../../lib/log.ts'
import type { createGraphqlHandler } from '../graphql-handler.ts'
import { jsonRpcError, NotJson } from './json-rpc.ts'
import { createTools } from './tools.ts'

/** Clients of older versions send the name of the protocol's version, newer ones also what they call. */
const PASSED_ON = /^(accept|content-type|idempotency-key|mcp-.*)$/

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
  const tools = createTools(schema, answer, log)

  return async function answerMcp(call: HttpCall, ctx: RequestCtx): Promise<HttpAnswer> {
    requireOwnOrigin(call, config)
    if (call.method !== 'POST') return notAllowed(ctx)
    const message = messageIn(call)
    ctx.bodyPoints = pointsForBody(call.body)
    if (ctx.bodyPoints > 0 && ctx.charge) ctx.rateLimit = await ctx.charge(ctx.bodyPoints)
    const { serve } = await import('./serve.ts') // only here: it takes as much memory as a third of the portal
    return toAnswer(await serve(requestOf(call), message, tools, ctx))
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

/** One message: several in one request would be counted as one. */
function messageIn({ body }: HttpCall): unknown {
  if (body === null)
    throw new AppError('BAD_REQUEST', { status: 415, message: 'Send JSON, with Content-Type: application/json.' })
  const message = parse(body)
  if (Array.isArray(message))
    throw new AppError('BAD_REQUEST', { message: 'Send one message in each request, not an array of them.' })
  return message
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw new NotJson(cause)
  }
}

/** Without the secret: what runs in there has no use for it. */
function requestOf({ headers }: HttpCall): Request {
  const passed = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    PASSED_ON.test(name) && typeof value === 'string' ? [[name, value]] : [],
  )
  return new Request('http://portal/mcp', { method: 'POST', headers: passed, body: '{}' })
}

async function toAnswer(response: Response): Promise<HttpAnswer> {
  const { status, headers } = response
  const type = headers.get('content-type')
  return { status, headers: type === null ? {} : { 'content-type': type }, body: await response.text() }
}
