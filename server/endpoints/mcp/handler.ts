import type { IncomingHttpHeaders } from 'node:http'
import type { GraphQLSchema } from 'graphql'
import manifest from '../../../package.json' with { type: 'json' }
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
import { jsonRpcResult, type Message, RefusedMessage, RPC, readMessage } from './json-rpc.ts'
import { createTools, EXECUTE, SEARCH_SCHEMA } from './tools.ts'
import { agreedVersion, IN_EACH_REQUEST, namesItsVersion } from './versions.ts'

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

type CallTool = ReturnType<typeof createTools>

const SERVER = { name: 'edge-management-portal', title: 'Edge Management Portal', version: manifest.version }

const INSTRUCTIONS =
  'The API of an Edge Management Portal: devices, API keys, people, policy and audit log of one organization. Search the schema first, then execute a document. The API key decides what is allowed.'

/** What the portal can do: no streams, so nothing to say a change of the tools in. */
const OFFER = { capabilities: { tools: { listChanged: false } }, instructions: INSTRUCTIONS }

/** What clients may keep of an answer: nothing, since the access of the key decides what it says. */
const NOT_CACHED = { ttlMs: 0, cacheScope: 'private' }

/**
 * The result of one request of the Model Context Protocol, in any of its versions. Only the fields of the message that
 * are used are read, whatever else it has: a schema of the whole protocol would report every fault in it.
 */
async function serve(
  message: Message,
  headers: IncomingHttpHeaders,
  callTool: CallTool,
  ctx: RequestCtx,
): Promise<object> {
  const isNamed = namesItsVersion(message, headers)
  const result =
    message.method === 'tools/call'
      ? ((await callTool(message.params, ctx, headers)) ?? noSuchTool(message))
      : resultOf(message, ctx, isNamed)
  return isNamed
    ? { ...result, resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': SERVER } }
    : result
}

function resultOf({ id, method, params }: Message, ctx: RequestCtx, isNamed: boolean): object {
  switch (method) {
    case 'initialize':
      return { ...OFFER, protocolVersion: agreedVersion(params['protocolVersion']), serverInfo: SERVER }
    case 'server/discover':
      return { ...OFFER, supportedVersions: IN_EACH_REQUEST, ...NOT_CACHED }
    case 'ping':
      return {}
    case 'tools/list':
      return { tools: listed(ctx), ...NOT_CACHED }
    default: {
      const message = 'Method not found: initialize, ping, tools/list or tools/call.'
      throw new RefusedMessage({ id, code: RPC.methodNotFound, status: isNamed ? 404 : 200, message })
    }
  }
}

function noSuchTool({ id }: Message): never {
  const message = `No such tool: ${SEARCH_SCHEMA.name} or ${EXECUTE.name}.`
  throw new RefusedMessage({ id, code: RPC.invalidParams, status: 200, message })
}

const listed = (ctx: RequestCtx) => [
  { ...SEARCH_SCHEMA, annotations: { readOnlyHint: true, openWorldHint: false } },
  { ...EXECUTE, annotations: { ...writesOf(ctx), openWorldHint: false } },
]

/** For clients that ask a person before anything that may change data. */
const writesOf = ({ caller }: RequestCtx) =>
  caller.kind === 'API_KEY' && caller.rules.access === 'READ_ONLY'
    ? { readOnlyHint: true }
    : { readOnlyHint: false, destructiveHint: true }
