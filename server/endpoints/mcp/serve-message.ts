import type { IncomingHttpHeaders } from 'node:http'
import manifest from '../../../package.json' with { type: 'json' }
import type { RequestCtx } from '../../graphql/builder.ts'
import { type Message, RefusedMessage, RPC } from './json-rpc.ts'
import { type createTools, EXECUTE, SEARCH_SCHEMA } from './tools.ts'
import { agreedVersion, IN_EACH_REQUEST, namesItsVersion } from './versions.ts'

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
export async function serve(
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
