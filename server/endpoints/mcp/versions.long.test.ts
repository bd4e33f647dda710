import { expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { startWorld, type World } from '../../../test/support/world/world.ts'

const it = inOrganization(startWorld)

const NEWEST = '2026-07-28'
const META = { 'io.modelcontextprotocol/protocolVersion': NEWEST }

async function send(world: World, secret: string, message: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${world.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'api-secret': secret, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  })
  const text = await response.text()
  return { status: response.status, answer: text === '' ? undefined : JSON.parse(text) }
}

it.for(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
  'a client of %s gets the version that it asks for, and its answers without fields of later ones',
  async (version, { world, key: { secret } }) => {
    const headers = { 'mcp-protocol-version': version }
    const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const { answer } = await send(world, secret, { id: 'a', method: 'initialize', params })
    expect(answer).toMatchObject({ jsonrpc: '2.0', id: 'a', result: { protocolVersion: version } })
    const notified = await send(world, secret, { method: 'notifications/initialized' }, headers)
    expect(notified).toEqual({ status: 202, answer: undefined })
    const pinged = await send(world, secret, { id: 7, method: 'ping' }, headers)
    expect(pinged).toEqual({ status: 200, answer: { jsonrpc: '2.0', id: 7, result: {} } })
    const unknown = await send(world, secret, { id: 8, method: 'prompts/list' }, headers)
    expect(unknown).toMatchObject({ status: 200, answer: { id: 8, error: { code: -32_601 } } })
  },
)

it('a client that asks for an unknown version is offered the newest that begins with initialize', async ({
  world,
  key,
}) => {
  for (const protocolVersion of ['2020-01-01', NEWEST, undefined, 5]) {
    const { answer } = await send(world, key.secret, { id: 1, method: 'initialize', params: { protocolVersion } })
    expect(answer.result.protocolVersion).toBe('2025-11-25')
  }
})

it('a client of 2026 learns the versions, and each result says that it is complete', async ({
  world,
  key: { secret },
}) => {
  const ask = (method: string) =>
    send(
      world,
      secret,
      { id: 1, method, params: { _meta: META } },
      { 'mcp-protocol-version': NEWEST, 'mcp-method': method },
    )
  const complete = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': expect.anything() } }
  const discovered = { supportedVersions: [NEWEST], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' }
  expect(await ask('server/discover')).toMatchObject({
    status: 200,
    answer: { result: { ...complete, ...discovered } },
  })
  expect(await ask('tools/list')).toMatchObject({ status: 200, answer: { result: { ...complete, ttlMs: 0 } } })
  expect(await ask('prompts/list')).toMatchObject({ status: 404, answer: { error: { code: -32_601 } } })
})

const named = (method: string, name?: string) => ({
  'mcp-protocol-version': NEWEST,
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
})
const CALL = { method: 'tools/call', params: { name: 'execute', arguments: {}, _meta: META } }

it.for<[string, object, Record<string, string>, number]>([
  ['an unknown version in a header', { method: 'ping' }, { 'mcp-protocol-version': '2020-01-01' }, -32_022],
  [
    'an unknown version in _meta',
    { method: 'ping', params: { _meta: { ...META, [Object.keys(META)[0] ?? '']: '2099-01-01' } } },
    named('ping'),
    -32_022,
  ],
  ['a version in a header alone', { method: 'ping' }, named('ping'), -32_602],
  ['a version in _meta alone', { method: 'ping', params: { _meta: META } }, {}, -32_020],
  ['the header of another method', { method: 'ping', params: { _meta: META } }, named('tools/list'), -32_020],
  ['no header of the tool', CALL, named('tools/call'), -32_020],
  ['the header of another tool', CALL, named('tools/call', 'search_schema'), -32_020],
  ['an id that is null', { id: null, method: 'ping' }, {}, -32_600],
  ['parameters that are a list', { method: 'ping', params: [] }, {}, -32_600],
])('refuses %s', async ([_what, message, headers, code], { world, key: { secret } }) => {
  const { status, answer } = await send(world, secret, { id: 1, ...message }, headers)
  expect(status).toBe(400)
  expect(answer.error).toMatchObject({ code, data: { code: 'BAD_REQUEST', requestId: expect.any(String) } })
  if (code === -32_022) expect(answer.error.data.supported).toEqual([NEWEST])
})

it.for<[string, object, string]>([
  ['no document', {}, 'document'],
  ['an empty document', { document: '' }, 'document'],
  ['variables that are a list', { document: '{ viewer { role } }', variables: [] }, 'variables'],
  ['another field', { document: '{ viewer { role } }', constructor: 1 }, 'arguments'],
  ['a dry run that is a text', { document: '{ viewer { role } }', dryRun: 'yes' }, 'dryRun'],
])('the tool execute refuses %s, and names the field', async ([_what, input, field], { world, key: { secret } }) => {
  const params = { name: 'execute', arguments: input }
  const { answer } = await send(world, secret, { id: 1, method: 'tools/call', params })
  expect(answer.result.isError).toBe(true)
  expect(JSON.parse(answer.result.content[0].text).errors).toMatchObject([
    { extensions: { code: 'BAD_USER_INPUT', field } },
  ])
})

it('the tool search_schema takes 1 to 25 matches', async ({ world, key: { secret } }) => {
  for (const [first, isRefused] of [
    [0, true],
    [1, false],
    [25, false],
    [26, true],
    [1.5, true],
    ['1', true],
  ] as const) {
    const params = { name: 'search_schema', arguments: { query: 'device', first } }
    const { answer } = await send(world, secret, { id: 1, method: 'tools/call', params })
    expect(answer.result.isError ?? false, String(first)).toBe(isRefused)
  }
})
