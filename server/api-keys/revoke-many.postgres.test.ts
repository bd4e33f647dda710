import { expect } from 'vitest'
import { startWorldBy } from '../../test/support/postgres/postgres-way.ts'
import { type CountedWay, countRoundTrips } from '../../test/support/postgres/round-trips.ts'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import type { Answer } from '../../test/support/world/http.ts'
import { codesOf, fieldOf } from '../../test/support/world/people.ts'
import { PATIENT, untilItWaits } from '../../test/support/world/waiting.ts'
import type { Person, TestKey, TestOrganization, World } from '../../test/support/world/world.ts'
import { countRows } from '../db/count.ts'
import { forKeyShare } from '../db/locks.ts'

/*
 * Keys that are revoked, rotated and listed while they are in use, where several transactions run at a time.
 */

const REVOKE = 'mutation ($input: RevokeApiKeysInput!) { revokeApiKeys(input: $input) { ids } }'
const ROTATE = 'mutation ($id: ID!) { rotateApiKey(id: $id, overlapSeconds: 0) { apiKey { id } } }'
const CREATE = 'mutation { createDevice(input: { name: "late" }) { id } }'

const it = inOrganization(() => startWorldBy(countRoundTrips, { timeouts: PATIENT }))
  .extend('first', ({ acme }) => acme.generateKey())
  /** Generated after the first. */
  .extend('second', ({ acme, first: _before }) => acme.generateKey())
  .extend(
    'revoke',
    ({ acme }) =>
      (input: object) =>
        acme.call(REVOKE, { input }),
  )
  .extend(
    'tripsOf',
    ({ world, acme, first }) =>
      (query: string) =>
        tripsOf(world.way, () => acme.call(query, { id: first.id })),
  )

/** A write by this key that is under way until it is let go; it has kept its key, as every write does. */
async function writeBy(world: World, key: TestKey): Promise<{ end: () => Promise<void> }> {
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

const devicesOf = (world: World, acme: TestOrganization) =>
  countRows(world.database.read.selectFrom('device').where('organizationId', '=', acme.id))

interface Made {
  ada: Person
  first: TestKey
  second: TestKey
}

it.for<[string, (made: Made) => object]>([
  ['chosen', ({ first, second }) => ({ ids: [second.id, first.id] })],
  ['all', () => ({ all: true })],
  ['made by someone', ({ ada }) => ({ createdById: ada.userId })],
])(
  'K10: a revoke of many keys, %s, waits for a write in progress, and later writes find no key',
  async ([_how, input], { world, ada, acme, first, second, revoke }) => {
    const writer = await writeBy(world, second)
    const revoking = await untilItWaits(world, () => revoke(input({ ada, first, second })))
    // The first of them is claimed by now, so a write by it has to wait too.
    const late = await untilItWaits(world, () => world.asKey(first.secret).call(CREATE), { oneOf: 2 })
    await writer.end()

    expect(fieldOf<{ ids: string[] }>(await revoking.done).ids).toEqual([first.id, second.id])
    expect(codesOf(await late.done)).toEqual(['API_KEY_INVALID'])
    expect(await devicesOf(world, acme)).toBe(0)
  },
)

it('K10: a rotation without overlap does the same', async ({ world, acme, first }) => {
  const writer = await writeBy(world, first)
  const rotating = await untilItWaits(world, () => acme.call(ROTATE, { id: first.id }))
  await writer.end()
  expect(codesOf(await rotating.done)).toEqual([])
  expect(codesOf(await world.asKey(first.secret).call(CREATE))).toEqual(['API_KEY_INVALID'])
})

it('K10: a key that is being revoked cannot be rotated', async ({ world, acme, first }) => {
  const deleted = Promise.withResolvers<void>()
  const ending = Promise.withResolvers<void>()
  const revoking = world.database.transaction(async (db) => {
    await db.deleteFrom('apiKey').where('id', '=', first.id).execute()
    deleted.resolve()
    await ending.promise
  })
  await deleted.promise
  const rotate = 'mutation ($id: ID!) { rotateApiKey(id: $id) { secret } }'
  const rotating = await untilItWaits(world, () => acme.call(rotate, { id: first.id }))
  ending.resolve()
  await revoking
  expect(codesOf(await rotating.done)).toEqual(['NOT_FOUND'])
})

it('a key that is used while a revoke of unused keys waits for it is not revoked', async ({
  world,
  first,
  second,
  revoke,
}) => {
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

it('of two concurrent revokes of the same keys in another order, one revokes them and one finds none', async ({
  world,
  first,
  second,
  revoke,
}) => {
  const answers = await Promise.all([
    revoke({ ids: [first.id, second.id] }),
    world.asKey(second.secret).call(REVOKE, { input: { ids: [second.id, first.id] } }),
  ])
  const codes = answers.flatMap(codesOf)
  expect(codes.length).toBe(1)
  expect(['NOT_FOUND', 'API_KEY_INVALID']).toContain(codes[0])
})

/** Round trips of a call that was made before: by now its queries are known to the server on every connection. */
async function tripsOf(way: CountedWay, ask: () => Promise<Answer>): Promise<number> {
  for (let i = 0; i < 5; i++) await ask()
  const before = way.roundTrips()
  expect(codesOf(await ask())).toEqual([])
  return way.roundTrips() - before
}

it('the other keys of rotations are read in one round trip for a whole list', async ({
  acme,
  first,
  second,
  tripsOf,
}) => {
  const rotate = 'mutation ($id: ID!) { rotateApiKey(id: $id) { apiKey { id } } }'
  for (const { id } of [first, second]) await acme.call(rotate, { id })
  const plain = await tripsOf('{ apiKeys { data { id } } }')
  expect(await tripsOf('{ apiKeys { data { id replaces { id } replacedBy { id } } } }')).toBe(plain + 1)
})

it('a tree of descendants is read in one round trip', async ({ world, first, tripsOf }) => {
  for (let i = 0; i < 3; i++) await world.asKey(first.secret).call('mutation { generateApiKey { secret } }')
  const plain = await tripsOf('query ($id: ID!) { apiKey(id: $id) { id } }')
  expect(await tripsOf('query ($id: ID!) { apiKey(id: $id) { descendants { data { label } } } }')).toBe(plain + 1)
})
