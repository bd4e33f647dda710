import { expect } from 'vitest'
import { countCalls } from '../../../test/support/world/count-calls.ts'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { fieldOf } from '../../../test/support/world/people.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import { DAY, HOUR } from '../../lib/clock.ts'
import { compactUsage } from './days.ts'
import { usedFields } from './used-fields.ts'

const USED = 'query ($id: ID!) { apiKey(id: $id) { usedFields { field calls } } }'

const it = inOrganization(startWorld)

async function usedBy(acme: TestOrganization, { id }: TestKey): Promise<Record<string, number>> {
  const { usedFields } = fieldOf<{ usedFields: { field: string; calls: number }[] }>(await acme.call(USED, { id }))
  return Object.fromEntries(usedFields.map(({ field, calls }) => [field, calls]))
}

/** A server of its own on the same database, closed as by SIGTERM: what it has counted is written. */
async function callsBeside(
  world: World,
  secret: string,
  bodies: { query: string; [name: string]: unknown }[],
  headers = {},
) {
  const beside = await startWorld({ beside: world, now: world.clock.now })
  for (const body of bodies) {
    const sent = { 'content-type': 'application/json', 'api-secret': secret, ...headers }
    await fetch(`${beside.url}/graphql`, { method: 'POST', headers: sent, body: JSON.stringify(body) })
  }
  await beside.close()
}

const ownCtx = ({ database, clock }: World, { id: organizationId }: TestOrganization) => ({
  caller: { kind: 'SYSTEM', organizationId, role: 'ADMIN' } as const,
  reads: database.read,
  database,
  now: clock.now,
})

it('all root fields of an operation count, once for each call, with aliases and fragments resolved', async ({
  world,
  acme,
  key,
}) => {
  const query = `query Nightly($no: Boolean = false) {
    mine: viewer { role } again: viewer { role } __typename
    ... on Query { organization { id } }
    ...More
    rateLimit @include(if: $no) { cost }
  }
  fragment More on Query { ...Deep devices { data { id } } }
  fragment Deep on Query { viewer { role } users { data { id } } }`
  const never = 'query Other { apiKeys { data { id } } } mutation Never { updateProfile(name: "x") { id } }'
  await callsBeside(world, key.secret, [
    { query },
    { query }, // the second time it is compiled
    { query },
    { query: `${never} query This { viewer { role } }`, operationName: 'This' },
    { query: '{ __schema { queryType { name } } }' },
    { query: '{ nonsense }' },
  ])
  const fields = { viewer: 4, organization: 3, devices: 3, users: 3, rateLimit: 3 }
  expect(await usedBy(acme, key)).toEqual(fields)
})

it('calls that the library parses count as plain ones do, and so do refused mutations', async ({
  world,
  acme,
  key,
}) => {
  const accept = { accept: 'application/graphql-response+json' }
  await callsBeside(world, key.secret, [{ query: '{ devices { data { id } } }' }], accept)
  await callsBeside(world, key.secret, [{ query: 'mutation { deleteDevice(id: "none") }' }])
  expect(await usedBy(acme, key)).toEqual({ devices: 1, deleteDevice: 1 })
})

it('a key with a narrower access has used what it did to itself', async ({ world, acme }) => {
  const key = await acme.generateKey({ access: 'DEVICES' })
  await callsBeside(world, key.secret, [
    { query: `mutation { rotateApiKey(id: "${key.id}") { secret } }` },
    { query: '{ users { data { id } } }' },
  ])
  expect(await usedBy(acme, key)).toEqual({ rotateApiKey: 1 })
})

it('fields of two processes are added up, and none is lost when hours become days', async ({ world, acme, key }) => {
  const at = world.clock.now() - 5 * DAY
  for (let i = 0; i < 3; i++) {
    await countCalls(world.database, [key.id], { at: at + i * HOUR, fields: ['devices', 'viewer'] })
    await countCalls(world.database, [key.id], { at: at + i * HOUR, fields: ['checkInDevice'] })
    if (i === 1) await compactUsage(world.database, world.clock.now(), { usageDays: 90 }) // the rest is added to what is there
  }
  await countCalls(world.database, [key.id], { at: world.clock.now(), fields: ['devices'] })
  const all = { devices: 4, checkInDevice: 3, viewer: 3 }
  expect(await usedBy(acme, key)).toEqual(all)
  await Promise.all([1, 2].map(() => compactUsage(world.database, world.clock.now(), { usageDays: 90 })))
  const hours = world.database.read.selectFrom('apiKeyUsage').select('hour').where('keyId', '=', key.id)
  expect(await hours.execute()).toHaveLength(1)
  expect(await usedBy(acme, key)).toEqual(all)
})

it('looks 30 days back', async ({ world, acme, key }) => {
  const today = world.clock.now() - (world.clock.now() % DAY)
  await countCalls(world.database, [key.id], { at: today - 29 * DAY, fields: ['devices'] })
  await countCalls(world.database, [key.id], { at: today - 30 * DAY, fields: ['users'] })
  expect(await usedBy(acme, key)).toEqual({ devices: 1 })
  await compactUsage(world.database, world.clock.now(), { usageDays: 90 })
  expect(await usedBy(acme, key)).toEqual({ devices: 1 })
})

it('what an older version counted without fields is not taken for nothing', async ({ world, acme, key }) => {
  const today = world.clock.now() - (world.clock.now() % DAY)
  const seen = JSON.stringify({ addresses: [], agents: [], operations: [['x', 1]] })
  const row = { keyId: key.id, hour: today - 4 * DAY, writer: 'old', calls: 1, errors: 0, seen }
  const knownSince = async () => (await usedFields(ownCtx(world, acme), key.id)).knownSince
  expect(await knownSince()).toBe(today - 29 * DAY)
  await world.database.transaction((db) => db.insertInto('apiKeyUsage').values(row).execute())
  await countCalls(world.database, [key.id], { at: today - 4 * DAY + HOUR })
  expect(await knownSince()).toBe(today - 4 * DAY + HOUR)
  await compactUsage(world.database, world.clock.now(), { usageDays: 90 })
  expect(await knownSince()).toBe(today - 3 * DAY)
})
