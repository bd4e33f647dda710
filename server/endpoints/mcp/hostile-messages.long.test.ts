import { expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { startWorld } from '../../../test/support/world/world.ts'
import { MAX_BODY_BYTES } from '../../graphql/operation-limits.ts'
import { EXECUTE } from './tools.ts'

const it = inOrganization(() => startWorld({ env: { RATE_LIMIT: 'off' } }))

/** What `initialize` answers is the longest of the answers that are asked for here. */
const MAX_ANSWER_BYTES = 1_000
/** CPU time of client and server: reading 256 KB of JSON takes a tenth of it. */
const MAX_CPU_MS = 100

const PREFIX = 'io.modelcontextprotocol'
const ZEROS = Array.from({ length: 100_000 }, () => 0)
const KEYS = Object.fromEntries(Array.from({ length: 12_000 }, (_, i) => [`key-${i}`, 0]))
const LONG = 'x'.repeat(200_000)
const nested = (open: string, close: string) => `${open.repeat(20_000)}0${close.repeat(20_000)}`
const DEEP = 'DEEP'
const LISTS = nested('[', ']')
const OBJECTS = nested('{"a":', '}')

const client = { name: 'test', version: '1' }
const initialize = (params: object) => ({
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client, ...params },
})
const modern = (meta: object, params: object = {}, method = 'ping') => ({
  method,
  params: {
    ...params,
    _meta: {
      [`${PREFIX}/protocolVersion`]: '2026-07-28',
      [`${PREFIX}/clientInfo`]: client,
      [`${PREFIX}/clientCapabilities`]: {},
      ...meta,
    },
  },
})
const tool = (input: unknown, name = 'execute') => ({ method: 'tools/call', params: { name, arguments: input } })

const MESSAGES: [string, object][] = [
  ['a client with icons that are zeros', initialize({ clientInfo: { ...client, icons: ZEROS } })],
  [
    'a client with icons of nothing',
    initialize({ clientInfo: { ...client, icons: ZEROS.map(() => ({})).slice(0, 80_000) } }),
  ],
  ['a client whose name is a list', initialize({ clientInfo: { name: ZEROS, version: ZEROS.slice(0, 20_000) } })],
  ...['roots', 'sampling', 'experimental', 'elicitation', 'extensions', 'tasks'].flatMap((name): [string, object][] => [
    [`capabilities: ${name} is a list`, initialize({ capabilities: { [name]: ZEROS } })],
    [`capabilities: ${name} has other fields`, initialize({ capabilities: { [name]: KEYS } })],
    [`capabilities of 2026: ${name} has other fields`, modern({ [`${PREFIX}/clientCapabilities`]: { [name]: KEYS } })],
  ]),
  ['capabilities that are a list', initialize({ capabilities: ZEROS })],
  ['a version of the protocol that is long', initialize({ protocolVersion: LONG })],
  ['a version of the protocol that is a list', initialize({ protocolVersion: ZEROS })],
  ['_meta with many fields', initialize({ _meta: KEYS })],
  ['_meta that is a list', { method: 'ping', params: { _meta: ZEROS } }],
  ['a client of 2026 with icons that are zeros', modern({ [`${PREFIX}/clientInfo`]: { ...client, icons: ZEROS } })],
  ['a log level of 2026 that is a list', modern({ [`${PREFIX}/logLevel`]: ZEROS })],
  ['a version of 2026 that is long', modern({ [`${PREFIX}/protocolVersion`]: LONG })],
  ['a version of 2026 that is a list', modern({ [`${PREFIX}/protocolVersion`]: ZEROS })],
  ['a token of progress that is a list', { method: 'ping', params: { _meta: { progressToken: ZEROS } } }],
  ['parameters that are a list', { method: 'tools/list', params: ZEROS }],
  ['a tool with a long name', tool({}, LONG)],
  ['a tool whose name is a list', { method: 'tools/call', params: { name: ZEROS } }],
  ['arguments that are a list', tool(ZEROS)],
  ['arguments with other fields', tool({ ...KEYS, document: '{ viewer { role } }' })],
  ['arguments with a long field', tool({ [LONG]: 0, document: '{ viewer { role } }' })],
  ['a document that is a list', tool({ document: ZEROS })],
  ['a document that is long', tool({ document: `{ viewer { ${LONG} } }` })],
  ['a document with a long string', tool({ document: `{ device(id: "${LONG.slice(0, 15_000)}") { id } }` })],
  ['variables that are a list', tool({ document: '{ viewer { role } }', variables: ZEROS })],
  ['variables with many fields', tool({ document: '{ viewer { role } }', variables: KEYS })],
  ['an operation with a long name', tool({ document: '{ viewer { role } }', operationName: LONG })],
  ['a search for a list', tool({ query: ZEROS }, 'search_schema')],
  ['a search for a long text', tool({ query: LONG }, 'search_schema')],
  ['a search with other fields', tool({ query: 'device', ...KEYS }, 'search_schema')],
  ['input responses that are a list', modern({}, { ...tool({}).params, inputResponses: ZEROS }, 'tools/call')],
  ['a task that is a list', { method: 'tools/call', params: { ...tool({}).params, task: ZEROS } }],
  ['a long method', { method: LONG }],
  ['a method that is a list', { method: ZEROS }],
  ['a long id', { method: 'ping', id: LONG }],
  ['an id that is a list', { method: 'ping', id: ZEROS }],
  ['another version of JSON-RPC', { jsonrpc: LONG, method: 'ping' }],
  ['a version of JSON-RPC that is a list', { jsonrpc: ZEROS, method: 'ping' }],
  ['an answer', { result: ZEROS }],
  ['an error', { error: { code: ZEROS } }],
  ['many fields', KEYS],
  ['a notification that is a list', { id: undefined, method: 'notifications/cancelled', params: ZEROS }],
  ['a notification of progress', { id: undefined, method: 'notifications/progress', params: { progressToken: ZEROS } }],
  ['deep parameters', { method: 'ping', params: { [DEEP]: 0 } }],
  ['deep arguments', tool({ document: '{ viewer { role } }', variables: { [DEEP]: 0 } })],
  ['a deep client', initialize({ clientInfo: { ...client, [DEEP]: 0 } })],
  ['deep _meta', modern({ [DEEP]: 0 })],
]

const HEADERS: [string, Record<string, string>][] = [
  ['a long version', { 'mcp-protocol-version': LONG.slice(0, 8_000) }],
  ['a long version of 2026', { 'mcp-protocol-version': `2026-07-28${LONG.slice(0, 8_000)}` }],
  ['a long method', { 'mcp-protocol-version': '2026-07-28', 'mcp-method': LONG.slice(0, 8_000) }],
  [
    'a long name',
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': LONG.slice(0, 8_000) },
  ],
  [
    'a long encoded name',
    {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': `=?base64?${LONG.slice(0, 8_000)}?=`,
    },
  ],
  ['a long session', { 'mcp-session-id': LONG.slice(0, 8_000) }],
  ['a long event', { 'last-event-id': LONG.slice(0, 8_000) }],
  ['a long Accept', { accept: `application/json, text/event-stream, ${'a/b, '.repeat(1_600)}a/b` }],
  ['a long Idempotency-Key', { 'idempotency-key': LONG.slice(0, 8_000) }],
]

const bodiesOf = (message: object) => {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })
  return text.includes(DEEP) ? [LISTS, OBJECTS].map((deep) => text.replace(`"${DEEP}":0`, `"a":${deep}`)) : [text]
}

/** The headers that a client of 2026 sends with a message. */
const headersOf = (message: object): Record<string, string> =>
  'params' in message && JSON.stringify(message).includes('2026-07-28')
    ? {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'method' in message ? String(message.method) : '',
        'mcp-name': EXECUTE.name,
      }
    : {}

/** What a message costs the thread in which client and server are, and how long the answer is. */
async function judged(url: string, secret: string, body: string, headers: Record<string, string>) {
  expect(body.length).toBeLessThan(MAX_BODY_BYTES)
  const accept = 'application/json, text/event-stream'
  const all = { accept, 'content-type': 'application/json', 'api-secret': secret, ...headers }
  const before = process.threadCpuUsage()
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers: all, body })
  const { length: bytes } = await response.bytes()
  const { user, system } = process.threadCpuUsage(before)
  return { bytes, cpuMs: (user + system) / 1_000 }
}

const isCheap = ({ bytes, cpuMs }: { bytes: number; cpuMs: number }) => bytes <= MAX_ANSWER_BYTES && cpuMs <= MAX_CPU_MS

it.for(MESSAGES)('P12: %s costs little and is answered in a few words', async ([_title, message], { world, acme }) => {
  const { secret } = await acme.generateKey({ label: 'ci', access: 'CHECK_IN' })
  for (const body of bodiesOf(message))
    expect(await judged(world.url, secret, body, headersOf(message))).toSatisfy(isCheap)
})

it.for(HEADERS)('P12: %s among the headers is answered in a few words', async ([_title, headers], { world, key }) => {
  const { params } = tool({ document: '{ viewer { role } }' })
  for (const message of [tool(params.arguments), modern({}, params, 'tools/call')]) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })
    expect(await judged(world.url, key.secret, body, headers)).toSatisfy(isCheap)
  }
})
