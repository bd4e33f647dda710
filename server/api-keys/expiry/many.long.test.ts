import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { expect } from 'vitest'
import { inOwnWorld } from '../../../test/support/world/fixtures.ts'
import { keyRow } from '../../../test/support/world/inserted-keys.ts'
import { backgroundOf } from '../../../test/support/world/mail-world.ts'
import { startWorld, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import type { Database } from '../../db/database.ts'
import { DAY, HOUR, MINUTE } from '../../lib/clock.ts'
import { notifyExpiringKeys } from './notifications.ts'

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
  const emails = await emailTexts(world)
  expect(emails.map((text) => [text.match(/^- k\d+ /gm)?.length, /^- and \d+ more$/m.exec(text)?.[0]])).toEqual([
    [20, '- and 480 more'],
    [20, '- and 480 more'],
    [20, '- and 183 more'],
  ])
  expect(new Set(emails.flatMap((text) => text.match(/^- k\d+ /gm))).size).toBe(60)
})

const emailTexts = async (world: World) =>
  (await world.database.read.selectFrom('email').select('text').orderBy('id').execute()).map(({ text }) => text)

it('an Admin gets at most ten emails about expirations in an hour, and then one about all keys that waited', async ({
  world,
  runBackgroundJobs,
  acme,
}) => {
  const round = async (from: number) => {
    await insertKeys(world, acme, 1, world.clock.now() + DAY + MINUTE, { from })
    world.clock.advance(2 * MINUTE)
    await runBackgroundJobs()
  }
  for (let i = 0; i < 13; i++) await round(i)
  expect(await emailTexts(world)).toHaveLength(10)
  expect(await eventsInDatabase(world, 'api_key.expiry_notified')).toHaveLength(10)
  world.clock.advance(HOUR)
  await runBackgroundJobs()
  const emails = await emailTexts(world)
  expect(emails).toHaveLength(11)
  expect(emails.at(-1)?.match(/^- k\d+/gm)).toEqual(['- k10', '- k11', '- k12'])
  expect(await eventsInDatabase(world, 'api_key.expiry_notified')).toHaveLength(13)
})

it('an organization whose Admins cannot be notified is no hindrance for the others', async ({ world, acme }) => {
  const other = await world.organization('Other', { admin: acme.admin })
  for (const [from, { id }] of [acme, other].entries())
    await insertKeys(world, acme, 1, world.clock.now() + DAY + MINUTE + from, { organizationId: id, from })
  world.clock.advance(2 * MINUTE)
  const failing: Database = {
    ...world.database,
    transaction: (work, options) =>
      options?.organizationId?.endsWith(acme.id)
        ? Promise.reject(new Error('It took too long.'))
        : world.database.transaction(work, options),
  }
  await expect(notifyExpiringKeys(failing, world.clock.now(), world.url)).rejects.toThrow('It took too long.')
  expect(await emailTexts(world)).toEqual([expect.stringContaining('- k1 ')])
  await notifyExpiringKeys(world.database, world.clock.now(), world.url)
  expect(await emailTexts(world)).toEqual([expect.any(String), expect.stringContaining('- k0 ')])
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

/** More than may be generated, and not new. */
async function insertKeys(
  world: World,
  acme: TestOrganization,
  count: number,
  expiresAt: number,
  { organizationId = acme.id, from = 0 }: { organizationId?: string; from?: number } = {},
): Promise<void> {
  const given = { organizationId, createdAt: world.clock.now() - 25 * DAY, expiresAt }
  const rows = Array.from({ length: count }, (_, i) => keyRow({ ...given, label: `k${from + i}` }))
  await world.database.transaction(async (db) => {
    for (let i = 0; i < count; i += 500)
      await db
        .insertInto('apiKey')
        .values(rows.slice(i, i + 500))
        .execute()
  })
}
