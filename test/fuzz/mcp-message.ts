import type { GraphQLSchema } from 'graphql'
import { oneOf, type Random } from '../fault/random.ts'
import { generateDocument } from './document.ts'
import { spoiledJson } from './hostile-json.ts'
import { atTurn } from './turns.ts'
import type { Known } from './values.ts'
import type { Worst } from './worst.ts'

/** Whose messages are handled in one way, and the one with an envelope and headers of its own. */
const OLDER = ['2025-03-26', '2025-06-18', '2025-11-25']
const NEWER = '2026-07-28'
const CLIENT = { name: 'agent', version: '1', icons: [{ src: 'https://agent.example.com/icon.png', sizes: ['any'] }] }
const CAPABILITIES = { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} }, experimental: {} }

type Message = { method: string; params: Record<string, unknown> }

interface Options {
  schema: GraphQLSchema
  random: Random
  known: Known
}

/** One message for `/mcp`, by any of its methods and versions; most have one thing in them that is hostile. */
export function mcpMessage(options: Options): Worst {
  const { random } = options
  const older = oneOf(random, OLDER)
  const { method, params } = oneOf(random, MESSAGES)(options, older)
  const version = method !== 'initialize' && random() < 0.4 ? NEWER : older
  const _meta = {
    progressToken: 1,
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': CLIENT,
    'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
  }
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, ...(version === NEWER && { _meta }) } }
  const body = random() < 0.1 ? JSON.stringify(message) : spoiledJson(message, random)
  const name = version === NEWER && {
    'mcp-method': method,
    ...(params['name'] !== undefined && { 'mcp-name': `${params['name']}` }),
  }
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version,
    ...name,
    ...(random() < 0.15 && oneOf(random, HOSTILE_HEADERS)),
  }
  return { shape: `mcp ${method}`, sizes: [1], callsOf: () => [{ path: '/mcp', headers, body }] }
}

/** For each list and each object of a message; all together as much as a body may have. */
const TOO_MANY = 1500

const DOCUMENT = '{ viewer { role } }'

const WIDE: readonly Message[] = [
  { method: 'initialize', params: { protocolVersion: OLDER[0], capabilities: CAPABILITIES, clientInfo: CLIENT } },
  { method: 'tools/call', params: { name: 'execute', arguments: { document: DOCUMENT, variables: {} } } },
  {
    method: 'tools/call',
    params: { name: 'search_schema', arguments: { query: 'device' }, _meta: { client: CLIENT } },
  },
]

/** A message with far too much of everything in every place: a report of what does not fit would be as long. */
export function wideMessage(turn: number): Worst {
  const { method, params } = atTurn(WIDE, turn)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: widened(params) })
  const headers = { accept: 'application/json, text/event-stream' }
  return { shape: `mcp wide ${method}`, sizes: [1], callsOf: () => [{ path: '/mcp', headers, body }] }
}

function widened(value: unknown): unknown {
  const more = Array.from({ length: TOO_MANY }, (_, i) => [`k${i}`, 0])
  if (Array.isArray(value)) return [...value.map(widened), ...more.map(([, zero]) => zero)]
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, each]) => [name, widened(each)])
  return Object.fromEntries([...fields, ...more])
}

const HOSTILE_HEADERS: readonly Record<string, string>[] = [
  { 'mcp-protocol-version': '2026-07-28, '.repeat(300) },
  { 'mcp-protocol-version': '1999-01-01' },
  { 'mcp-method': 'x'.repeat(8000) },
  { 'mcp-name': '=?base64?AAAA?='.repeat(500) },
  { 'mcp-param-query': 'x'.repeat(4000), 'mcp-session-id': '1' },
  { accept: 'application/json, text/event-stream, '.repeat(200) },
]

const initialize = (_options: Options, protocolVersion: string): Message => ({
  method: 'initialize',
  params: { protocolVersion, capabilities: CAPABILITIES, clientInfo: CLIENT },
})

/** The one with the most in it comes more often. */
const MESSAGES: readonly ((options: Options, version: string) => Message)[] = [
  initialize,
  initialize,
  initialize,
  initialize,
  () => ({ method: 'tools/list', params: { cursor: 'x' } }),
  () => ({ method: 'ping', params: {} }),
  () => ({
    method: 'tools/call',
    params: { name: 'search_schema', arguments: { query: 'create device', first: 5, offset: 0 } },
  }),
  ({ schema, random, known }) => {
    const { query, variables } = generateDocument(schema, { random, known, isTame: true, operation: 'query' })
    return {
      method: 'tools/call',
      params: { name: 'execute', arguments: { document: query, variables: variables ?? { x: 1 }, dryRun: false } },
    }
  },
]
