import { expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { startWorld, type World } from '../../../test/support/world/world.ts'

const it = inOrganization(() => startWorld({ env: { CORS_ORIGINS: 'https://agent.example.com' } }))

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

interface Sent {
  method?: string
  headers?: Record<string, string>
  body?: string
}

async function send(world: World, { method = 'POST', headers = {}, body = JSON.stringify(LIST) }: Sent) {
  const accept = 'application/json, text/event-stream'
  const all = { accept, 'content-type': 'application/json', ...headers }
  const response = await fetch(`${world.url}/mcp`, { method, headers: all, ...(method === 'POST' && { body }) })
  const text = await response.text()
  return { status: response.status, headers: response.headers, answer: text === '' ? undefined : JSON.parse(text) }
}

it('A2: needs a key, and says in which header', async ({ world }) => {
  const { status, answer, headers } = await send(world, {})
  expect({ status, answer }).toMatchObject({
    status: 401,
    answer: {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_000, message: expect.stringContaining('api-secret'), data: { code: 'UNAUTHENTICATED' } },
    },
  })
  expect(headers.get('www-authenticate')).toBe('ApiKey realm="portal"')
  const bearer = await send(world, { headers: { authorization: 'Bearer x' } })
  expect(bearer.answer.error.message).toContain('api-secret header, not in Authorization')
})

it('answers in JSON, without a session', async ({ world, key }) => {
  const { status, headers, answer } = await send(world, { headers: { 'api-secret': key.secret } })
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^application\/json/)
  expect(headers.has('mcp-session-id')).toBe(false)
  expect(answer.result.tools).toHaveLength(2)
})

it.for(['GET', 'DELETE', 'PUT'])(
  '%s answers 405: there are no streams and no sessions',
  async (method, { world, key }) => {
    const { status, headers, answer } = await send(world, { method, headers: { 'api-secret': key.secret } })
    expect([status, headers.get('allow')]).toEqual([405, 'POST'])
    expect(answer).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_600, message: expect.stringMatching(/^Use POST/) },
    })
  },
)

it.for<[string, string, number, number]>([
  ['no JSON', '{', 400, -32_700],
  ['several messages at once', JSON.stringify([LIST, LIST]), 400, -32_600],
  ['no message', '{"a":1}', 400, -32_600],
  ['more than 256 KiB', JSON.stringify({ ...LIST, params: { x: 'x'.repeat(300_000) } }), 413, -32_600],
])('refuses %s with words, as JSON-RPC', async ([_title, body, expected, code], { world, key }) => {
  const { status, answer } = await send(world, { headers: { 'api-secret': key.secret }, body })
  expect(status).toBe(expected)
  expect(answer).toMatchObject({ jsonrpc: '2.0', id: null, error: { code, message: expect.stringMatching(/\w{3}/) } })
})

it('does not say that it tells of changes of its tools', async ({ world, key }) => {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const body = JSON.stringify({ ...LIST, method: 'initialize', params })
  const { answer } = await send(world, { headers: { 'api-secret': key.secret }, body })
  expect(answer.result.capabilities).toEqual({ tools: { listChanged: false } })
})

it('opens no stream of subscriptions', async ({ world, key }) => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = JSON.stringify({
    ...LIST,
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true }, _meta: meta },
  })
  const headers = {
    'api-secret': key.secret,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'subscriptions/listen',
  }
  const { answer } = await send(world, { headers, body })
  expect(answer.error.message).toMatch(/limit|not found/i)
})

it.for<[string, string, boolean]>([
  ['another site', 'https://evil.example', false],
  ['a file', 'null', false],
  ['a name that leads here', 'http://evil.example:4000', false],
  ['a page on this machine', 'http://localhost:6274', true],
  ['one of CORS_ORIGINS', 'https://agent.example.com', true],
])('a page of %s: %s', async ([_title, origin, isAllowed], { world, key }) => {
  const { status } = await send(world, { headers: { 'api-secret': key.secret, origin } })
  expect(status).toBe(isAllowed ? 200 : 403)
})
