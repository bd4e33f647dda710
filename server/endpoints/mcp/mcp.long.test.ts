import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { fieldOf } from '../../../test/support/world/people.ts'
import { startWorld, type World } from '../../../test/support/world/world.ts'

const it = inOrganization(() => startWorld({ tuning: { usageFlushMs: 20 } }))

/** How clients agree on a version of the protocol: as they did until 2025, or by asking first. */
const CLIENTS = ['legacy', 'auto'] as const

/** The official client, connected with this key. */
async function connected(world: World, secret: string, mode: (typeof CLIENTS)[number] = 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { 'api-secret': secret, 'user-agent': `mcp-${mode}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${world.url}/mcp`), { requestInit }))
  onTestFinished(() => client.close())
  return client
}

interface Result {
  isError: boolean
  text: string
}

async function toolResult(client: Client, name: string, input: Record<string, unknown>): Promise<Result> {
  const { content, isError = false } = await client.callTool({ name, arguments: input })
  const [first] = content
  if (first?.type !== 'text') throw new Error('No text.')
  return { isError, text: first.text }
}

const execute = async (client: Client, document: string, variables?: object) => {
  const { isError, text } = await toolResult(client, 'execute', { document, ...(variables && { variables }) })
  return { isError, ...JSON.parse(text) }
}

const CREATE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { name } }'

describe.for(CLIENTS)('the official client (%s)', (mode) => {
  it('finds both tools, and what they may do', async ({ world, acme, key }) => {
    const { tools } = await (await connected(world, key.secret, mode)).listTools()
    expect(tools.map(({ name, annotations }) => [name, annotations])).toEqual([
      ['search_schema', { readOnlyHint: true, openWorldHint: false }],
      ['execute', { readOnlyHint: false, destructiveHint: true, openWorldHint: false }],
    ])
    const reader = await acme.generateKey({ label: 'reader', access: 'READ_ONLY' })
    const forReader = await (await connected(world, reader.secret, mode)).listTools()
    expect(forReader.tools[1]?.annotations).toEqual({ readOnlyHint: true, openWorldHint: false })
  })

  it('A3: reads and writes in the organization of the key', async ({ world, key }) => {
    const client = await connected(world, key.secret, mode)
    expect(await execute(client, CREATE, { name: 'gateway-1' })).toEqual({
      isError: false,
      data: { createDevice: { name: 'gateway-1' } },
    })
    expect(await execute(client, '{ devices { data { name } } }')).toEqual({
      isError: false,
      data: { devices: { data: [{ name: 'gateway-1' }] } },
    })
  })

  it('K10: is refused as soon as the key is revoked, in the middle of its work', async ({ world, acme, key }) => {
    const client = await connected(world, key.secret, mode)
    expect(await execute(client, '{ viewer { role } }')).toMatchObject({ data: { viewer: { role: 'ADMIN' } } })
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.id })
    await expect(execute(client, '{ viewer { role } }')).rejects.toThrow(/API_KEY_INVALID/)
    await expect(toolResult(client, 'search_schema', { query: 'device' })).rejects.toThrow(/API_KEY_INVALID/)
    await expect(connected(world, key.secret, mode)).rejects.toThrow(/API_KEY_INVALID|HTTP 401/)
  })
})

interface Refused {
  errors: { message: string; extensions: { code: string } }[]
}

const codesAndMessages = (answer: unknown) =>
  (answer as Refused).errors.map(({ message, extensions: { code } }) => [code, message])

describe('execute', () => {
  it('C10: allows what the access of the key allows', async ({ world, acme }) => {
    const { secret } = await acme.generateKey({ label: 'reader', access: 'READ_ONLY' })
    const client = await connected(world, secret)
    expect(await execute(client, CREATE, { name: 'no' })).toMatchObject({
      isError: true,
      errors: [{ path: ['createDevice'], extensions: { code: 'FORBIDDEN' } }],
    })
    expect(await execute(client, '{ devices { data { name } } }')).toEqual({
      isError: false,
      data: { devices: { data: [] } },
    })
  })

  it.for<[string, string, string]>([
    ['no GraphQL', '{ devices', 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', '{ gadgets { id } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['too much at once', '{ apiKeys(first: 500) { data { usage { at } } } }', 'QUERY_TOO_COMPLEX'],
  ])('refuses %s as /graphql does', async ([_title, document, code], { world, key }) => {
    const { isError, errors } = await execute(await connected(world, key.secret), document)
    const direct = await world.asKey(key.secret).call(document)
    expect(isError).toBe(true)
    expect(direct.errors.map((error) => error.extensions)).toEqual(
      errors.map(({ extensions }: { extensions: object }) => ({ ...extensions, code, requestId: expect.any(String) })),
    )
  })

  it.for([1_000, 5_000, 20_000, 40_000])(
    'variables that are %i levels deep get the answer of /graphql',
    async (depth, { world, key }) => {
      const query = 'query ($filter: DeviceFilter) { devices(filter: $filter) { data { id } } }'
      const variables = `{"filter":${'{"a":'.repeat(depth)}1${'}'.repeat(depth + 1)}`
      const send = async (path: string, body: string) => {
        const accept = 'application/json, text/event-stream'
        const headers = { accept, 'content-type': 'application/json', 'api-secret': key.secret }
        return (await (await fetch(`${world.url}${path}`, { method: 'POST', headers, body })).json()) as object
      }
      const inputs = `"document":"${query}","variables":${variables}`
      const params = `{"name":"execute","arguments":{${inputs}}}`
      const answer = await send('/mcp', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`)
      const direct = await send('/graphql', `{"query":"${query}","variables":${variables}}`)
      const { text } = (answer as { result: { content: [{ text: string }] } }).result.content[0]
      expect(codesAndMessages(JSON.parse(text))).toEqual(codesAndMessages(direct))
    },
  )

  it('does once what is sent again with an Idempotency-Key, and nothing in a dry run', async ({ world, key }) => {
    const send = async (value: string, name: string, dryRun?: boolean) => {
      const document = `mutation { createDevice(input: { name: "${name}" }) { id } }`
      const params = { name: 'execute', arguments: { document, dryRun } }
      const accept = 'application/json, text/event-stream'
      const response = await fetch(`${world.url}/mcp`, {
        method: 'POST',
        headers: { accept, 'content-type': 'application/json', 'api-secret': key.secret, 'idempotency-key': value },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      })
      return JSON.parse(JSON.parse(await response.text()).result.content[0].text)
    }
    const value = 'order-2026-11-18-1'
    expect(await send(value, 'edge', true)).toMatchObject({ data: { createDevice: {} }, extensions: { dryRun: true } })
    const first = await send(value, 'edge')
    expect(first).toEqual({ data: { createDevice: { id: expect.any(String) } } })
    expect(await send(value, 'edge')).toEqual(first)
    expect(await send(value, 'other')).toMatchObject({ errors: [{ extensions: { code: 'CONFLICT' } }] })
    expect(await send('x'.repeat(256), 'other')).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] })
  })

  it('data beside an error is no failure of the tool', async ({ world, key }) => {
    const client = await connected(world, key.secret)
    const answer = await execute(client, '{ viewer { role } device(id: "no") { id } }')
    expect(answer).toMatchObject({ isError: false, data: { viewer: {}, device: null }, errors: [{ path: ['device'] }] })
  })

  it('is on record: in the calls, the usage and the audit log of the key', async ({ world, acme, key }) => {
    const client = await connected(world, key.secret)
    await execute(client, `${CREATE.replace('mutation', 'mutation AddOne')}`, { name: 'gateway-2' })
    await execute(client, '{ gadgets }')
    const OF_KEY = `query ($id: ID!) { apiKey(id: $id) { lastUsedUserAgent
      recentCalls { accepted { operation status code } } } }`
    interface Shown {
      lastUsedUserAgent: string
      recentCalls: { accepted: { operation: string | null; status: number; code: string | null }[] }
    }
    const shown = async () => fieldOf<Shown>(await acme.call(OF_KEY, { id: key.id }))
    await expect
      .poll(async () => (await shown()).recentCalls.accepted)
      .toContainEqual({
        operation: 'AddOne',
        status: 200,
        code: null,
      })
    await expect // each call is written when it is due
      .poll(async () => (await shown()).recentCalls.accepted.map(({ code }) => code))
      .toContain('GRAPHQL_VALIDATION_FAILED')
    expect((await shown()).lastUsedUserAgent).toBe('mcp-auto')
    const events = await acme.call('{ auditEvents { data { action subject actor { id } } } }')
    expect(fieldOf<{ data: object[] }>(events).data).toContainEqual({
      action: 'DEVICE_CREATED',
      subject: 'gateway-2',
      actor: { id: key.id },
    })
  })
})

describe('search_schema', () => {
  it.for<[string, string]>([
    ['create a device', 'Mutation.createDevice(input: CreateDeviceInput!): Device\nAdds a device.'],
    ['list all devices', 'Query.device(id: ID!): Device\n'],
    ['how do I revoke API keys', 'Mutation.revokeApiKey('],
    ['audit log', 'Query.auditEvents('],
    ['UpdateDeviceInput', 'input UpdateDeviceInput { '],
    ['role', 'enum Role { ADMIN, MEMBER }'],
  ])('finds %s, with signature and description', async ([query, expected], { world, key }) => {
    const client = await connected(world, key.secret)
    const { text } = await toolResult(client, 'search_schema', { query, first: 3 })
    expect(text.split('\n\n').slice(0, 3)).toContainEqual(expect.stringContaining(expected))
    expect(text).toMatch(/\d+ more: call again with offset 3\.$/)
  })

  it('pages through all matches, each once', async ({ world, key }) => {
    const client = await connected(world, key.secret)
    const seen: string[] = []
    for (let offset = 0; ; offset += 25) {
      const { text } = await toolResult(client, 'search_schema', { query: 'rotate key', first: 25, offset })
      const parts = text.split('\n\n')
      seen.push(...parts.filter((part) => !/more: call again/.test(part)).map((part) => part.split('\n')[0] ?? ''))
      if (!/more: call again/.test(parts.at(-1) ?? '')) break
    }
    expect(seen.length).toBeGreaterThan(25)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen[0]).toMatch(/^Mutation\.rotateApiKey\(/)
  })

  it('says so when nothing matches, and refuses other input with words', async ({ world, key }) => {
    const client = await connected(world, key.secret)
    expect(await toolResult(client, 'search_schema', { query: 'zzzz' })).toMatchObject({
      isError: false,
      text: expect.stringContaining('Nothing matches.'),
    })
    const refused = await toolResult(client, 'search_schema', { query: '', first: 99 }).catch(String)
    expect(JSON.stringify(refused)).toMatch(/query|first/)
  })
})
