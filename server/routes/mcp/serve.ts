import {
  createMcpHandler,
  fromJsonSchema,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import manifest from '../../../package.json' with { type: 'json' }
import type { RequestCtx } from '../../graphql/builder.ts'
import { type createTools, EXECUTE, type ExecuteInput, SEARCH_SCHEMA, type SearchInput } from './tools.ts'

type Tools = ReturnType<typeof createTools>

const INSTRUCTIONS =
  'The API of an Edge Management Portal: devices, API keys, people, policy and audit log of one organization. Search the schema first, then execute a document. The API key decides what is allowed.'

const SEARCH_INPUT = fromJsonSchema<SearchInput>(SEARCH_SCHEMA.inputSchema)
const EXECUTE_INPUT = fromJsonSchema<ExecuteInput>(EXECUTE.inputSchema)

/**
 * Answers one message of the Model Context Protocol, in any of its versions, with JSON. A server is made for each
 * message: nothing is left between two of them, neither a session nor a caller.
 */
export async function serve(request: Request, message: unknown, tools: Tools, ctx: RequestCtx): Promise<Response> {
  const make = () => serverFor(tools, ctx, request.headers.get('idempotency-key'))
  if (!(await isLegacyRequest(request, message))) {
    const handler = createMcpHandler(make, { legacy: 'reject', maxSubscriptions: 0 }) // no streams: see K10
    return handler.fetch(request, { parsedBody: message })
  }
  const server = make()
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  const response = await transport.handleRequest(request, { parsedBody: message })
  void server.close()
  return response
}

function serverFor(tools: Tools, ctx: RequestCtx, idempotencyKey: string | null): McpServer {
  const server = new McpServer(
    { name: 'edge-management-portal', title: 'Edge Management Portal', version: manifest.version },
    { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } }, // no streams: nothing to say it in
  )
  const { name: searchName, title, description } = SEARCH_SCHEMA
  server.registerTool(
    searchName,
    { title, description, inputSchema: SEARCH_INPUT, annotations: { readOnlyHint: true, openWorldHint: false } },
    (input) => ({ ...tools.searchSchema(input, ctx) }),
  )
  server.registerTool(
    EXECUTE.name,
    {
      title: EXECUTE.title,
      description: EXECUTE.description,
      inputSchema: EXECUTE_INPUT,
      annotations: { ...writesOf(ctx), openWorldHint: false },
    },
    async (input) => ({ ...(await tools.execute(input, ctx, idempotencyKey)) }),
  )
  return server
}

/** For clients that ask a person before anything that may change data. */
const writesOf = ({ caller }: RequestCtx) =>
  caller.kind === 'API_KEY' && caller.rules.access === 'READ_ONLY'
    ? { readOnlyHint: true }
    : { readOnlyHint: false, destructiveHint: true }
