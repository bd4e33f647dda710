import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { codesOf, fieldOf } from '../../test/support/people.ts'
import { type CountedWay, countRoundTrips } from '../../test/support/round-trips.ts'
import { newStorage, type Storage } from '../../test/support/storage.ts'
import { PATIENT, untilItWaits } from '../../test/support/waiting.ts'
import { type Person, startWorld, type TestKey, type TestOrganization, type World } from '../../test/support/world.ts'
import { countRows } from '../db/count.ts'
import { forKeyShare } from '../db/locks.ts'

/*
 * Keys that are revoked, rotated and listed while they are in use, where several transactions run at a time.
 */

const REVOKE = 'mutation ($input: RevokeApiKeysInput!) { revokeApiKeys(input: $input) { ids } }'
const ROTATE = 'mutation ($id: ID!) { rotateApiKey(id: $id, overlapSeconds: 0) { apiKey { id } } }'
const CREATE = 'mutation { createDevice(input: { name: "late" }) { id } }'

let storage: Storage
let way: CountedWay
let world: World
let ada: Person
let acme: TestOrganization
let first: TestKey
let second: TestKey

beforeAll(async () => {
  storage = await newStorage()
  way = await countRoundTrips(storage.env['DATABASE_URL'] ?? '')
  world = await startWorld({ beside: { storage }, env: { DATABASE_URL: way.url }, timeouts: PATIENT })
  ada = await world.signUp('Ada')
})
afterAll(async () => {
  await world.close()
  await way.close()
  await storage.remove()
})

beforeEach(async () => {
  acme = await world.organization('Acme', { admin: ada })
  first = await world.generateKey(ada, acme)
  second = await world.generateKey(ada, acme)
})

/** A write by this key that is under way until it is let go; it has kept its key, as every write does. */
async function writeBy(key: TestKey): Promise<{ end: () => Promise<void> }> {
  const begun = Promise.withResolvers<void>()
  const ending = Promise.withResolvers<void>()
  const written = world.database.transaction(async (db) => {
    await forKeyShare(db, db.selectFrom('apiKey').select('id').where('id', '=', key.id)).execute()
    begun.resolve()
    await ending.promise
  })
  await begun.promise
  return {
    end: () => {
      ending.resolve()
      return written
    },
  }
}

const revoke = (input: object) => ada.call(REVOKE, { input }, acme.slug)
const devices = () => countRows(world.database.read.selectFrom('device').where('organizationId', '=', acme.id))

it.each([
  ['chosen', () => ({ ids: [second.id, first.id] })],
  ['all', () => ({ all: true })],
  ['made by someone', () => ({ createdById: ada.userId })],
])(
  'K10: a revoke of many keys, %s, waits for a write in progress, and later writes find no key',
  async (_how, input) => {
    const writer = await writeBy(second)
    const revoking = await untilItWaits(world, () => revoke(input()))
    // The first of them is claimed by now, so both a write by it and the note that it was used have to wait.
    const late = await untilItWaits(world, () => world.asKey(first.secret).call(CREATE), { oneOf: 3 })
    await writer.end()

    expect(fieldOf<{ ids: string[] }>(await revoking.done).ids).toEqual([first.id, second.id])
    expect(codesOf(await late.done)).toEqual(['API_KEY_INVALID'])
    expect(await devices()).toBe(0)
  },
)

it('K10: a rotation without overlap does the same', async () => {
  const writer = await writeBy(first)
  const rotating = await untilItWaits(world, () => ada.call(ROTATE, { id: first.id }, acme.slug))
  await writer.end()
  expect(codesOf(await rotating.done)).toEqual([])
  expect(codesOf(await world.asKey(first.secret).call(CREATE))).toEqual(['API_KEY_INVALID'])
})

it('K10: a key that is being revoked cannot be rotated', async () => {
  const deleted = Promise.withResolvers<void>()
  const ending = Promise.withResolvers<void>()
  const revoking = world.database.transaction(async (db) => {
    await db.deleteFrom('apiKey').where('id', '=', first.id).execute()
    deleted.resolve()
    await ending.promise
  })
  await deleted.promise
  const rotate = 'mutation ($id: ID!) { rotateApiKey(id: $id) { secret } }'
  const rotating = await untilItWaits(world, () => ada.call(rotate, { id: first.id }, acme.slug))
  ending.resolve()
  await revoking
  expect(codesOf(await rotating.done)).toEqual(['NOT_FOUND'])
})

it('a key that is used while a revoke of unused keys waits for it is not revoked', async () => {
  await world.database.transaction((db) =>
    db.updateTable('apiKey').set({ createdAt: 0 }).where('id', 'in', [first.id, second.id]).execute(),
  )
  const used = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const using = world.database.transaction(async (db) => {
    await db.updateTable('apiKey').set({ lastUsedAt: world.clock.now() }).where('id', '=', second.id).execute()
    held.resolve()
    await used.promise
  })
  await held.promise
  const revoking = await untilItWaits(world, () => revoke({ unusedForDays: 90 }))
  used.resolve()
  await using

  expect(fieldOf<{ ids: string[] }>(await revoking.done).ids).toEqual([first.id])
  expect((await world.asKey(second.secret).call('{ viewer { role } }')).status).toBe(200)
})

it('of two concurrent revokes of the same keys in another order, one revokes them and one finds none', async () => {
  const answers = await Promise.all([
    revoke({ ids: [first.id, second.id] }),
    world.asKey(second.secret).call(REVOKE, { input: { ids: [second.id, first.id] } }),
  ])
  const codes = answers.flatMap(codesOf)
  expect(codes.length).toBe(1)
  expect(['NOT_FOUND', 'API_KEY_INVALID']).toContain(codes[0])
})

/** Of a call that was made before: by now its queries are known to the server on every connection. */
async function tripsOf(query: string): Promise<number> {
  const ask = () => ada.call(query, { id: first.id }, acme.slug)
  for (let i = 0; i < 5; i++) await ask()
  const before = way.roundTrips()
  expect(codesOf(await ask())).toEqual([])
  return way.roundTrips() - before
}

it('the other keys of rotations are read in one round trip for a whole list', async () => {
  const rotate = 'mutation ($id: ID!) { rotateApiKey(id: $id) { apiKey { id } } }'
  for (const { id } of [first, second]) await ada.call(rotate, { id }, acme.slug)
  const plain = await tripsOf('{ apiKeys { data { id } } }')
  expect(await tripsOf('{ apiKeys { data { id replaces { id } replacedBy { id } } } }')).toBe(plain + 1)
})

it('a tree of descendants is read in one round trip', async () => {
  for (let i = 0; i < 3; i++) await world.asKey(first.secret).call('mutation { generateApiKey { secret } }')
  const plain = await tripsOf('query ($id: ID!) { apiKey(id: $id) { id } }')
  expect(await tripsOf('query ($id: ID!) { apiKey(id: $id) { descendants { data { label } } } }')).toBe(plain + 1)
})
