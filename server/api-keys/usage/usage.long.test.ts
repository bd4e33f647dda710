import { describe, expect } from 'vitest'
import { countCalls } from '../../../test/support/world/count-calls.ts'
import { inWorld } from '../../../test/support/world/fixtures.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import { DAY, HOUR, MINUTE } from '../../lib/clock.ts'
import { mintSecret } from '../../secrets/secret.ts'
import { deleteRowsOfDeletedKeys } from '../deletion.ts'
import { compactUsage } from './days.ts'

const USAGE = `query ($id: ID!, $since: DateTime, $by: UsageUnit) {
  apiKey(id: $id) { lastUsedAt lastUsedIp lastUsedUserAgent lastUsedOperation usage(since: $since, by: $by) { at calls errors } }
}`
const RECENT = `query ($id: ID!) { apiKey(id: $id) { recentUsage {
  calls errors
  addresses { value calls } otherAddressCalls
  userAgents { value calls } otherUserAgentCalls
  operations { value calls } otherOperationCalls
} } }`

interface Key {
  lastUsedAt: string | null
  lastUsedIp: string | null
  lastUsedUserAgent: string | null
  lastUsedOperation: string | null
  usage: { at: string; calls: number; errors: number }[]
  recentUsage: Record<string, unknown>
}

const it = inWorld(startWorld)

const iso = (at: number) => new Date(at).toISOString()

async function ask(acme: TestOrganization, query: string, key: TestKey, variables: object = {}): Promise<Key> {
  const { data, errors } = await acme.call(query, { id: key.id, ...variables })
  expect(errors).toEqual([])
  return (data as { apiKey: Key }).apiKey
}

/** A server of its own on the same database, closed as by SIGTERM: what it has counted is written. */
async function callsBeside(world: World, secret: string, queries: string[], headers: Record<string, string> = {}) {
  const beside = await startWorld({ beside: { storage: world.storage }, now: world.clock.now })
  const answers = []
  for (const query of queries) {
    const body = JSON.stringify({ query })
    const sent = { 'content-type': 'application/json', 'api-secret': secret, ...headers }
    answers.push((await fetch(`${beside.url}/graphql`, { method: 'POST', headers: sent, body })).status)
  }
  await beside.close()
  return answers
}

describe('usage of a key', () => {
  it('counts every call by hour and by day, with address, user agent and operation', async ({ world, acme }) => {
    const key = await acme.generateKey()
    const before = await ask(acme, USAGE, key)
    expect(before).toMatchObject({ lastUsedAt: null, lastUsedOperation: null, usage: [] })
    const agent = { 'user-agent': 'nightly-export/1.2' }
    await callsBeside(
      world,
      key.secret,
      ['query Nightly { devices { data { id } } }', '{ viewer { role } }', '{ nonsense }'],
      agent,
    )
    await callsBeside(world, key.secret, ['query Nightly { devices { data { id } } }'])
    const today = { at: iso(world.clock.now() - (world.clock.now() % DAY)), calls: 4, errors: 0 }
    expect(await ask(acme, USAGE, key)).toEqual({
      lastUsedAt: iso(world.clock.now()),
      lastUsedIp: '127.0.0.1',
      lastUsedUserAgent: 'node',
      lastUsedOperation: 'Nightly',
      usage: [today],
    })
    const hour = world.clock.now() - (world.clock.now() % HOUR)
    expect((await ask(acme, USAGE, key, { by: 'HOUR' })).usage).toEqual([{ at: iso(hour), calls: 4, errors: 0 }])
    expect((await ask(acme, RECENT, key)).recentUsage).toEqual({
      calls: 4,
      errors: 0,
      addresses: [{ value: '127.0.0.1', calls: 4 }],
      otherAddressCalls: 0,
      userAgents: [
        { value: 'nightly-export/1.2', calls: 3 },
        { value: 'node', calls: 1 },
      ],
      otherUserAgentCalls: 0,
      operations: [
        { value: 'Nightly', calls: 2 },
        { value: 'viewer', calls: 1 },
      ],
      otherOperationCalls: 0,
    })
  })

  it('lists calls without a value as null, and counts values that are not listed as others', async ({
    world,
    acme,
  }) => {
    const key = await acme.generateKey()
    const fragment = '{ ...F } fragment F on Query { viewer { role } }'
    await callsBeside(world, key.secret, [fragment], { 'user-agent': '' })
    for (let writer = 0; writer < 6; writer++) {
      const addresses = Array.from({ length: 20 }, (_, n) => [`10.0.${writer}.${n}`, 2])
      const seen = JSON.stringify({ addresses: [...addresses, [null, 3]], agents: [['', 43]], operations: [] })
      const hour = world.clock.now() - (world.clock.now() % HOUR)
      const row = { keyId: key.id, hour, writer: `w${writer}`, calls: 43, errors: 0, seen }
      await world.database.transaction((db) => db.insertInto('apiKeyUsage').values(row).execute())
    }
    const { recentUsage } = await ask(acme, RECENT, key)
    expect(recentUsage).toMatchObject({
      calls: 1 + 6 * 43,
      otherAddressCalls: 1 + 20 * 2 + 6 * 3, // beyond the 100 most frequent, and of those that no process has listed
      userAgents: [{ value: null, calls: 1 + 6 * 43 }],
      otherUserAgentCalls: 0,
      operations: [{ value: '…', calls: 1 }],
      otherOperationCalls: 0,
    })
    expect(recentUsage['addresses']).toHaveLength(100)
  })

  it('of 24 hours and the whole hour in which they begin is recent, and no earlier one', async ({ world, acme }) => {
    const key = await acme.generateKey()
    const thisHour = world.clock.now() - (world.clock.now() % HOUR)
    const seen = JSON.stringify({ addresses: [], agents: [], operations: [] })
    const used = (hoursAgo: number, calls: number) => {
      const row = { keyId: key.id, hour: thisHour - hoursAgo * HOUR, writer: 'w', calls, errors: 0, seen }
      return world.database.transaction((db) => db.insertInto('apiKeyUsage').values(row).execute())
    }
    await used(26, 100)
    await used(25, 10)
    expect((await ask(acme, RECENT, key)).recentUsage).toMatchObject({ calls: 0 })
    await used(24, 1)
    expect((await ask(acme, RECENT, key)).recentUsage).toMatchObject({ calls: 1 })
  })

  it('removes secrets and control characters that an older version stored', async ({ world, acme }) => {
    const key = await acme.generateKey()
    const seen = JSON.stringify({
      addresses: [['10.0.0.1', 1]],
      agents: [
        [`curl ${mintSecret('emp_')}`, 2],
        [`curl\u009b ${mintSecret('emp_')}`, 1],
      ],
      operations: [['x'.repeat(15_000), 1]],
    })
    const hour = world.clock.now() - (world.clock.now() % HOUR)
    await world.database.transaction((db) =>
      db.insertInto('apiKeyUsage').values({ keyId: key.id, hour, writer: 'w', calls: 3, errors: 0, seen }).execute(),
    )
    expect((await ask(acme, RECENT, key)).recentUsage).toMatchObject({
      userAgents: [{ value: 'curl [secret]', calls: 3 }],
      operations: [{ value: 'x'.repeat(80), calls: 1 }],
    })
  })

  it('counts refused calls separately, and not as a use', async ({ world, acme }) => {
    const expiresAt = iso(world.clock.now() + HOUR)
    const key = await acme.generateKey({ label: 'short', expiresAt })
    world.clock.advance(2 * HOUR)
    expect(await callsBeside(world, key.secret, ['{ viewer { role } }', '{ viewer { role } }'])).toEqual([401, 401])
    const { lastUsedAt, usage } = await ask(acme, USAGE, key)
    expect({ lastUsedAt, usage }).toMatchObject({ lastUsedAt: null, usage: [{ calls: 0, errors: 2 }] })
  })

  it('counts a call over the rate limit as refused', async ({ world, acme }) => {
    const key = await acme.generateKey()
    const beside = await startWorld({
      beside: { storage: world.storage },
      now: world.clock.now,
      env: { RATE_LIMIT: '1' },
    })
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await call(beside.url, key.secret)).status)
    await beside.close()
    expect(statuses).toEqual([200, 200, 429, 429])
    expect((await ask(acme, USAGE, key)).usage).toMatchObject([{ calls: 2, errors: 2 }])
  })

  it.for(['/graphql', '/mcp'])(
    'counts a call at %s as refused whose points exceed the limit',
    async (path, { world, acme }) => {
      const key = await acme.generateKey()
      const beside = await startWorld({
        beside: { storage: world.storage },
        now: world.clock.now,
        env: { RATE_LIMIT: '1' },
        tuning: { burstSeconds: 24 }, // at /mcp, after two calls there are enough for a message and too few for the operation
      })
      const headers = { 'content-type': 'application/json', 'api-secret': key.secret }
      const query = '{ devices(first: 500) { totalCount data { id name } } }'
      const params = { name: 'execute', arguments: { document: query } }
      const body = JSON.stringify(path === '/mcp' ? { jsonrpc: '2.0', id: 1, method: 'tools/call', params } : { query })
      const answers: Response[] = []
      for (let i = 0; i < 5; i++) answers.push(await fetch(`${beside.url}${path}`, { method: 'POST', headers, body }))
      const texts = await Promise.all(answers.map((answer) => answer.text()))
      await beside.close()
      const refused = texts.filter((text) => text.includes('RATE_LIMITED')).length
      expect(refused).toBeGreaterThan(0)
      expect(answers.map(({ status }) => status)).toEqual(
        texts.map((text) => (text.includes('RATE_LIMITED') ? 429 : 200)),
      )
      expect((await ask(acme, USAGE, key)).usage).toMatchObject([{ calls: 5 - refused, errors: refused }])
    },
  )

  it('covers 48 hours and 90 days, and `since` narrows it', async ({ world, acme }) => {
    const key = await acme.generateKey()
    const start = world.clock.now() - (world.clock.now() % DAY)
    const days = [0, 1, 2, 3, 88, 89, 90, 91]
    for (const day of days) await countCalls(world.database, [key.id], { at: start - day * DAY + MINUTE })
    const byDay = (await ask(acme, USAGE, key)).usage
    expect(byDay.map(({ at }) => (start - Date.parse(at)) / DAY)).toEqual([89, 88, 3, 2, 1, 0])
    const byHour = (await ask(acme, USAGE, key, { by: 'HOUR' })).usage
    expect(byHour.every(({ at }) => Date.parse(at) > world.clock.now() - 48 * HOUR)).toBe(true)
    const since = iso(start - 2 * DAY + HOUR)
    expect((await ask(acme, USAGE, key, { since })).usage.map(({ at }) => at)).toEqual(
      [2, 1, 0].map((day) => iso(start - day * DAY)),
    )
    await compactUsage(world.database, world.clock.now(), { usageDays: 90 })
    expect((await ask(acme, USAGE, key)).usage).toEqual(byDay)
    expect((await ask(acme, USAGE, key, { by: 'HOUR' })).usage).toEqual(byHour)
    await compactUsage(world.database, world.clock.now(), { usageDays: Number.POSITIVE_INFINITY })
    expect((await ask(acme, USAGE, key)).usage).toEqual(byDay)
    await compactUsage(world.database, world.clock.now(), { usageDays: 3 })
    expect((await ask(acme, USAGE, key)).usage.map(({ at }) => (start - Date.parse(at)) / DAY)).toEqual([3, 2, 1, 0])
  })

  it('hours are added up into days without losing or doubling a call, also by two processes at once', async ({
    world,
    acme,
  }) => {
    const key = await acme.generateKey()
    const begin = world.clock.now()
    for (let i = 0; i < 60; i++) await countCalls(world.database, [key.id], { at: begin - i * HOUR })
    const total = async () => (await ask(acme, USAGE, key)).usage.reduce((sum, { calls }) => sum + calls, 0)
    expect(await total()).toBe(60)
    await Promise.all([1, 2, 3].map(() => compactUsage(world.database, world.clock.now(), { usageDays: 90 })))
    expect(await total()).toBe(60)
    const left = world.database.read.selectFrom('apiKeyUsage').select('hour').where('keyId', '=', key.id)
    expect(await left.execute()).toHaveLength(49)
  })

  it('K9: is deleted when the key is revoked, and later counts are dropped', async ({ world, acme }) => {
    const key = await acme.generateKey()
    await countCalls(world.database, [key.id], { at: world.clock.now() })
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.id })
    await deleteRowsOfDeletedKeys(world.database)
    await countCalls(world.database, [key.id], { at: world.clock.now() })
    const rows = world.database.read.selectFrom('apiKeyUsage').select('calls').where('keyId', '=', key.id)
    expect(await rows.execute()).toEqual([])
  })

  it('of many keys is read in one query', async ({ world, acme }) => {
    const [one, two] = [await acme.generateKey(), await acme.generateKey()]
    await countCalls(world.database, [one.id, two.id], { at: world.clock.now() })
    const query = '{ apiKeys { data { id usage { calls } } } }'
    const { data } = await acme.call(query)
    const { apiKeys } = data as { apiKeys: { data: { id: string; usage: { calls: number }[] }[] } }
    const used = apiKeys.data.filter(({ id }) => id === one.id || id === two.id)
    expect(used.map(({ usage }) => usage)).toEqual([[{ calls: 1 }], [{ calls: 1 }]])
  })
})

const call = (url: string, secret: string) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'api-secret': secret },
    body: '{"query":"{ viewer { role } }"}',
  })
