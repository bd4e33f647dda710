import { expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { fieldOf } from '../../../test/support/world/people.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import { DAY, HOUR, SECOND } from '../../lib/clock.ts'
import { deleteRowsOfDeletedKeys } from '../deletion.ts'
import { linesOf, MAX_LINE_LENGTH } from './call-lines.ts'
import { deleteOldCalls } from './call-retention.ts'
import { writeCalls } from './write-calls.ts'

const CALLS = `query ($id: ID!) { apiKey(id: $id) { recentCalls {
  accepted { at operation ip status durationMs code } refused { at operation ip status durationMs code }
} } }`
const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }'

interface Listed {
  at: string
  operation: string | null
  status: number
  code: string | null
}
interface Calls {
  accepted: Listed[]
  refused: Listed[]
}

const it = inOrganization(startWorld)

const callsOf = async (acme: TestOrganization, { id }: Pick<TestKey, 'id'>) =>
  fieldOf<{ recentCalls: Calls }>(await acme.call(CALLS, { id })).recentCalls

/** A server of its own on the same database, closed as by SIGTERM: what it has collected is written. */
async function callsBeside(world: World, secret: string, bodies: object[], env = {}) {
  const beside = await startWorld({ beside: world, now: world.clock.now, env })
  for (const body of bodies) {
    const headers = { 'content-type': 'application/json', 'api-secret': secret }
    await fetch(`${beside.url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  await beside.close()
}

/** As a process writes them. */
const write = (world: World, keyId: string, writer: string, times: number[]) => {
  const calls = times.map((at) => ({
    ...{ number: at, at, operation: 'devices', address: '10.0.0.1', status: 200, ms: 1, code: undefined },
  }))
  return writeCalls(world.database, [
    { keyId, writer, accepted: linesOf(calls), refused: '', since: Math.min(...times) },
  ])
}

const stored = (world: World, keyId: string) =>
  world.database.read.selectFrom('apiKeyCallLog').selectAll().where('keyId', '=', keyId).execute()

it('lists accepted and refused calls with time, operation, address, status and duration, of all processes', async ({
  world,
  acme,
}) => {
  const expiresAt = new Date(world.clock.now() + HOUR).toISOString()
  const key = await acme.generateKey({ label: 'short', expiresAt })
  await callsBeside(world, key.secret, [
    { query: 'query Nightly { devices { data { id } } }' },
    { query: '{ nonsense }' },
  ])
  world.clock.advance(SECOND)
  await callsBeside(world, key.secret, [{ query: 'mutation { deleteDevice(id: "none") }' }])
  world.clock.advance(SECOND)
  const limited = Array.from({ length: 3 }, () => ({ query: '{ viewer { role } }' }))
  await callsBeside(world, key.secret, limited, { RATE_LIMIT: '1' })
  world.clock.advance(2 * HOUR)
  await callsBeside(world, key.secret, [{ query: '{ viewer { role } }' }])

  const { accepted, refused } = await callsOf(acme, key)
  const short = ({ operation, status, code }: Listed) => [operation, status, code]
  expect(accepted.map(short)).toEqual([
    ['viewer', 200, null],
    ['viewer', 200, null],
    ['deleteDevice', 200, 'NOT_FOUND'],
    [null, 200, 'GRAPHQL_VALIDATION_FAILED'],
    ['Nightly', 200, null],
  ])
  expect(refused.map(short)).toEqual([
    [null, 401, 'API_KEY_EXPIRED'],
    [null, 429, 'RATE_LIMITED'],
  ])
  expect(refused[0]).toEqual({
    at: new Date(world.clock.now()).toISOString(),
    operation: null,
    ip: '127.0.0.1',
    status: 401,
    durationMs: expect.any(Number),
    code: 'API_KEY_EXPIRED',
  })
})

it('C10: a call for something that the access of the key does not include is listed and counted as refused', async ({
  world,
  acme,
}) => {
  const key = await acme.generateKey({ label: 'reader', access: 'READ_ONLY' })
  await callsBeside(world, key.secret, [
    { query: '{ devices { data { id } } }' },
    { query: 'mutation Add { createDevice(input: { name: "a" }) { id } }' },
  ])
  const { accepted, refused } = await callsOf(acme, key)
  expect(accepted.map(({ operation }) => operation)).toEqual(['devices'])
  expect(refused).toMatchObject([{ operation: 'Add', status: 200, code: 'FORBIDDEN' }])
  const usage = await acme.call('query ($id: ID!) { apiKey(id: $id) { recentUsage { calls errors } } }', { id: key.id })
  expect(fieldOf(usage)).toEqual({ recentUsage: { calls: 1, errors: 1 } })
})

it('has no variables and no arguments', async ({ world, acme, key }) => {
  const query =
    'mutation Add($name: String!) { createDevice(input: { name: $name, description: "very private" }) { id } }'
  await callsBeside(world, key.secret, [{ query, variables: { name: 'confidential' } }])
  expect((await callsOf(acme, key)).accepted).toMatchObject([{ operation: 'Add', status: 200, code: null }])
  const rows = JSON.stringify(await stored(world, key.id))
  expect(rows).toContain('Add')
  expect(rows).not.toMatch(/confidential|private|emp_/)
})

it('lists the last 100 of all processes, however they were written', async ({ world, acme, key }) => {
  const start = world.clock.now() - HOUR
  const times = (from: number, count: number) => Array.from({ length: count }, (_, i) => start + from + i)
  await write(world, key.id, 'first', times(0, 60))
  await write(world, key.id, 'first', times(0, 60)) // again, as after a commit whose answer was lost
  await write(world, key.id, 'second', times(1000, 50))
  const found = (await callsOf(acme, key)).accepted.map(({ at }) => Date.parse(at) - start)
  expect(found).toEqual([...times(10, 50), ...times(1000, 50)].map((at) => at - start).reverse())
})

it('a key that is used now and then has one row for each process, of a bounded length', async ({
  world,
  acme,
  key,
}) => {
  const start = world.clock.now() - HOUR
  for (let i = 0; i < 400; i++) await write(world, key.id, 'w', [start + i])
  const [row, ...others] = await stored(world, key.id)
  expect(others).toEqual([])
  expect(row?.accepted.length).toBeLessThanOrEqual(19_000)
  await write(world, key.id, 'w', [start + 400])
  const { accepted } = await callsOf(acme, key)
  expect(accepted.length).toBeGreaterThan(0)
  expect(Date.parse(accepted[0]?.at ?? '')).toBe(start + 400)
})

it('calls are listed and stored for a day, and no longer', async ({ world, acme, key }) => {
  const now = world.clock.now()
  await write(world, key.id, 'ended', [now - DAY])
  await write(world, key.id, 'runs', [now - DAY - 1, now - DAY, now - DAY + 1, now - HOUR])
  expect((await callsOf(acme, key)).accepted).toHaveLength(2)
  await deleteOldCalls(world.database, now)
  const rows = await stored(world, key.id)
  expect(rows.map(({ writer, since, accepted }) => [writer, since, accepted.split('\n').length - 1])).toEqual([
    ['runs', now - DAY + 1, 2],
  ])
  expect((await callsOf(acme, key)).accepted).toHaveLength(2)
  await Promise.all([1, 2].map(() => deleteOldCalls(world.database, now + DAY)))
  expect(await stored(world, key.id)).toEqual([])
})

it('of a key that is gone only the last calls stay, also of those that are written after the revoke', async ({
  world,
  acme,
  key,
}) => {
  const other = await acme.generateKey()
  const now = world.clock.now()
  const many = Array.from({ length: 100 }, (_, i) => now - 100 + i)
  for (const { id } of [key, other]) await write(world, id, 'before', many)
  await acme.call(REVOKE, { id: key.id })
  await deleteRowsOfDeletedKeys(world.database)
  for (const { id } of [key, other]) await write(world, id, 'after', many)
  const characters = async (keyId: string) =>
    (await stored(world, keyId)).map(({ accepted, refused }) => accepted.length + refused.length)
  for (const length of await characters(key.id)) expect(length).toBeLessThanOrEqual(10 * MAX_LINE_LENGTH)
  for (const length of await characters(other.id)) expect(length).toBeGreaterThan(30 * MAX_LINE_LENGTH)
  const query = 'query ($id: ID!) { revokedApiKey(id: $id) { recentCalls { accepted { at } } } }'
  const { recentCalls } = fieldOf<{ recentCalls: Calls }>(await acme.call(query, { id: key.id }))
  expect(recentCalls.accepted[0]).toEqual({ at: new Date(now - 1).toISOString() })
  expect(recentCalls.accepted.length).toBeGreaterThanOrEqual(20)
})

it('the last calls of a revoked key are listed for a day, also those that are written after the revoke', async ({
  world,
  acme,
  key,
  bob,
}) => {
  const now = world.clock.now()
  await write(world, key.id, 'w', [now - 1])
  await acme.call(REVOKE, { id: key.id })
  await write(world, key.id, 'w', [now])
  await deleteRowsOfDeletedKeys(world.database)
  const query = 'query ($id: ID!) { revokedApiKey(id: $id) { recentCalls { accepted { at } } } }'
  const revoked = fieldOf<{ recentCalls: Calls }>(await acme.call(query, { id: key.id }))
  expect(revoked.recentCalls.accepted).toHaveLength(2)
  expect((await bob.call(query, { id: key.id }, acme.slug)).errors).toMatchObject([{ code: 'FORBIDDEN' }])
})
