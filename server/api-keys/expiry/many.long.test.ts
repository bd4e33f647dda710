import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { expect } from 'vitest'
import { inOwnWorld } from '../../../test/support/world/fixtures.ts'
import { keyRow } from '../../../test/support/world/inserted-keys.ts'
import { backgroundOf } from '../../../test/support/world/mail-world.ts'
import { startWorld, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import { DAY } from '../../lib/clock.ts'

const it = inOwnWorld(startWorld).extend('runBackgroundJobs', ({ world }) => backgroundOf(world).runBackgroundJobs)

const eventsInDatabase = (world: World, action: string) =>
  world.database.read.selectFrom('auditEvent').select('id').where('action', '=', action).execute()

it('Admins are notified once of every key, however many there are, also with equal expirations', async ({
  world,
  runBackgroundJobs,
  acme,
}) => {
  const expiresAt = world.clock.now() + 8 * DAY
  await insertKeys(world, acme, 1203, expiresAt)
  world.clock.advance(2 * DAY)
  await runBackgroundJobs()
  const noted = await world.database.read
    .selectFrom('apiKeyExpiryNotification')
    .select('keyId')
    .where('days', '=', 7)
    .execute()
  expect(new Set(noted.map(({ keyId }) => keyId)).size).toBe(1203)
  expect(await eventsInDatabase(world, 'api_key.expiry_notified')).toHaveLength(1203)
  const emails = await world.database.read.selectFrom('email').select('text').execute()
  const lines = emails.flatMap(({ text }) => text.match(/^- k\d+ /gm) ?? [])
  expect(new Set(lines).size).toBe(1203)
  expect(lines).toHaveLength(1203)
})

it('expired keys are deleted once, by any number of processes', async ({ world, runBackgroundJobs, acme }) => {
  await insertKeys(world, acme, 250, world.clock.now() + DAY)
  world.clock.advance(31 * DAY)
  await Promise.all(Array.from({ length: 4 }, () => runBackgroundJobs()))
  await runBackgroundJobs()
  expect(await world.database.read.selectFrom('apiKey').select('label').execute()).toEqual([])
  expect(await eventsInDatabase(world, 'api_key.removed')).toHaveLength(250)
})

it('other work continues while many keys are processed, and an organization with several keys gets one email', async ({
  world,
  runBackgroundJobs,
  acme,
}) => {
  const organizations = [acme]
  for (let i = 1; i < 40; i++) organizations.push(await world.organization(`Acme ${i}`, { admin: acme.admin }))
  for (let i = 0; i < 10; i++) {
    for (const { id } of organizations)
      await insertKeys(world, acme, 1, world.clock.now() + 8 * DAY, { organizationId: id, from: i })
  }
  for (const days of [2, 40]) {
    world.clock.advance(days * DAY)
    expect(await turnsDuring(runBackgroundJobs())).toBeGreaterThanOrEqual(400 / 30)
  }
  expect(await world.database.read.selectFrom('email').select('id').execute()).toHaveLength(40)
})

async function turnsDuring(work: Promise<void>): Promise<number> {
  let isDone = false
  const done = work.finally(() => {
    isDone = true
  })
  let turns = 0
  for (; !isDone; turns++) await yieldToEventLoop()
  await done
  return turns
}

/** More than may be generated. */
async function insertKeys(
  world: World,
  acme: TestOrganization,
  count: number,
  expiresAt: number,
  { organizationId = acme.id, from = 0 }: { organizationId?: string; from?: number } = {},
): Promise<void> {
  const given = { organizationId, createdAt: world.clock.now(), expiresAt }
  const rows = Array.from({ length: count }, (_, i) => keyRow({ ...given, label: `k${from + i}` }))
  await world.database.transaction(async (db) => {
    for (let i = 0; i < count; i += 500)
      await db
        .insertInto('apiKey')
        .values(rows.slice(i, i + 500))
        .execute()
  })
}
