import { expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { insertExpiredKeys } from '../../../test/support/world/inserted-keys.ts'
import { codesOf, fieldOf } from '../../../test/support/world/people.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import { LIMITS } from '../../config/limits.ts'
import { HOUR } from '../../lib/clock.ts'
import { deleteRowsOfDeletedKeys } from '../deletion.ts'

/*
 * How many keys an organization keeps, expired ones included.
 */

const it = inOrganization(startWorld)
  /** Older than all the others, and active. */
  .extend('first', { auto: true }, async ({ world, acme }) => {
    const first = await acme.generateKey({ label: 'first' })
    world.clock.advance(HOUR)
    return first
  })

const insertExpired = (world: World, acme: TestOrganization, count: number) => insertExpiredKeys(world, acme.id, count)

const labels = async (world: World, acme: TestOrganization) => {
  const keys = world.database.read.selectFrom('apiKey').select('label').where('organizationId', '=', acme.id)
  return (await keys.orderBy('id').execute()).map(({ label }) => label)
}

const removed = async (world: World, acme: TestOrganization) => {
  const events = world.database.read
    .selectFrom('auditEvent')
    .select(['subject', 'actorName'])
    .where('organizationId', '=', acme.id)
  return (await events.where('action', '=', 'api_key.removed').orderBy('id').execute()).map(
    ({ subject, actorName }) => `${subject} by ${actorName}`,
  )
}

const rotate = (acme: TestOrganization, first: TestKey, overlapSeconds: number) =>
  acme.call(
    'mutation ($id: ID!, $overlapSeconds: Int) { rotateApiKey(id: $id, overlapSeconds: $overlapSeconds) { apiKey { id } } }',
    { id: first.id, overlapSeconds },
  )

it('stores up to 1,000 keys; one more deletes the oldest expired key, never an active one', async ({
  world,
  acme,
  first,
}) => {
  await insertExpired(world, acme, LIMITS.stored_keys - 2)
  await acme.generateKey({ label: 'the 1,000th' })
  expect([(await labels(world, acme)).length, await removed(world, acme)]).toEqual([LIMITS.stored_keys, []])

  await acme.generateKey({ label: 'one more' })
  const kept = await labels(world, acme)
  expect(kept).toHaveLength(LIMITS.stored_keys)
  expect([kept.includes('k0'), kept.includes('k1'), kept.includes('first')]).toEqual([false, true, true])
  expect(await removed(world, acme)).toEqual(['k0 by portal'])
  expect(codesOf(await world.asKey(first.secret).call('{ viewer { role } }'))).toEqual([])
})

it('a rotation with an overlap adds a key, one without does not', async ({ world, acme, first }) => {
  await insertExpired(world, acme, LIMITS.stored_keys - 1)
  fieldOf(await rotate(acme, first, 0))
  expect([(await labels(world, acme)).length, await removed(world, acme)]).toEqual([LIMITS.stored_keys, []])

  first = await acme.generateKey({ label: 'first' })
  fieldOf(await rotate(acme, first, 60))
  expect([(await labels(world, acme)).length, await removed(world, acme)]).toEqual([
    LIMITS.stored_keys,
    ['k0 by portal', 'k1 by portal'],
  ])
})

it('with many more, each new key deletes a few', async ({ world, acme }) => {
  await insertExpired(world, acme, LIMITS.stored_keys + 11)
  const counts: number[] = []
  for (let i = 0; i < 3; i++) {
    await acme.generateKey({ label: `new ${i}` })
    counts.push((await labels(world, acme)).length)
  }
  expect(counts).toEqual([LIMITS.stored_keys + 3, LIMITS.stored_keys, LIMITS.stored_keys])
})

it('deleting a key also deletes its usage and its lineage', async ({ world, acme, first }) => {
  await insertExpired(world, acme, LIMITS.stored_keys - 1)
  const rows = world.database.read.selectFrom('apiKey').select('id').where('organizationId', '=', acme.id)
  const { id } = await rows.where('label', '=', 'k0').executeTakeFirstOrThrow()
  await world.database.transaction(async (db) => {
    await db.insertInto('apiKeyLineage').values({ ancestorId: first.id, keyId: id }).execute()
    await db.insertInto('apiKeyUsageDay').values({ keyId: id, day: 0, calls: 1, errors: 0 }).execute()
  })
  await acme.generateKey({ label: 'one more' })
  await deleteRowsOfDeletedKeys(world.database)
  const { read } = world.database
  expect(await read.selectFrom('apiKeyLineage').select('keyId').where('keyId', '=', id).execute()).toEqual([])
  expect(await read.selectFrom('apiKeyUsageDay').select('keyId').where('keyId', '=', id).execute()).toEqual([])
})

it('other organizations are not affected', async ({ world, ada, acme }) => {
  const other = await world.organization('Other', { admin: ada })
  await insertExpired(world, acme, LIMITS.stored_keys + 5)
  await other.generateKey({ label: 'mine' })
  expect([(await labels(world, acme)).length, await removed(world, acme)]).toEqual([LIMITS.stored_keys + 6, []])
})
