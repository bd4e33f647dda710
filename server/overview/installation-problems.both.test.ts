import { expect } from 'vitest'
import { LOOPBACK } from '../../test/support/world/called-from.ts'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import type { Caller, Ctx } from '../caller/ctx.ts'
import { keyRules } from '../caller/key-rules.ts'
import { isPostgres } from '../db/locks.ts'
import { MIGRATIONS } from '../db/migrate.ts'
import type { BackupScheduleTable } from '../db/tables.ts'
import { DAY, HOUR, MINUTE } from '../lib/clock.ts'
import { problemsOfInstallation } from './installation-problems.ts'

const it = inOwnWorld(startWorld)

const BACKUPS = { dir: '/backups', everyMs: DAY, keep: 7 }

const operator = (organizationId: string): Caller => ({ kind: 'SYSTEM', organizationId, role: 'ADMIN' })

const problems = ({ database, clock }: World, caller: Caller, backups: typeof BACKUPS | undefined) => {
  const ctx: Ctx = { caller, reads: database.read, database, now: clock.now }
  return problemsOfInstallation(ctx, backups)
}

const schedule = ({ database }: World, values: Partial<BackupScheduleTable>) =>
  database.transaction((db) => db.updateTable('backupSchedule').set(values).execute())

it('a backup has failed if its attempt ended without one, or none was verified for twice the time', async ({
  world,
  acme,
}) => {
  const now = world.clock.now()
  const found = async (values: Partial<BackupScheduleTable>) => {
    await schedule(world, { claimedBy: '', claimedUntil: 0, startedAt: 0, verifiedAt: null, ...values })
    return problems(world, operator(acme.id), BACKUPS)
  }
  const failed = (since: number | null) => [{ kind: 'BACKUP_FAILED', since }]
  const good = now - HOUR
  expect(await found({})).toEqual([])
  expect(await found({ startedAt: good + 20, verifiedAt: good })).toEqual([])
  expect(await found({ startedAt: now, claimedUntil: now + MINUTE })).toEqual([])
  expect(await found({ startedAt: now, claimedUntil: now + MINUTE, verifiedAt: good })).toEqual([])
  expect(await found({ startedAt: now - 3 * MINUTE, claimedUntil: now - MINUTE })).toEqual(failed(null))
  expect(await found({ startedAt: now - MINUTE, verifiedAt: good })).toEqual(failed(good))
  const old = now - 2 * DAY
  expect(await found({ startedAt: old, verifiedAt: old })).toEqual([])
  expect(await found({ startedAt: old, verifiedAt: old - 1 })).toEqual(failed(old - 1))
})

it('backups are missing where none are scheduled on SQLite, after a week', async ({ world, acme }) => {
  const caller = operator(acme.id)
  expect(await problems(world, caller, undefined)).toEqual([])
  world.clock.advance(8 * DAY)
  const missing = isPostgres(world.database.read) ? [] : [{ kind: 'BACKUP_MISSING', since: null }]
  expect(await problems(world, caller, undefined)).toEqual(missing)
  expect(await problems(world, caller, BACKUPS)).toEqual([])
})

it('the database is newer than this process while replicas are upgraded', async ({ world, acme }) => {
  const version = MIGRATIONS.length + 1
  const row = { version, name: 'of a newer version', appliedAt: world.clock.now() }
  await world.database.transaction((db) => db.insertInto('migration').values(row).execute())
  expect(await problems(world, operator(acme.id), BACKUPS)).toEqual([{ kind: 'DATABASE_NEWER', since: null }])
})

it('only an Admin of an organization who is no key is told', async ({ world, ada, acme }) => {
  await schedule(world, { startedAt: world.clock.now(), verifiedAt: null })
  const person = { kind: 'USER', userId: ada.userId, sessionId: 'x', name: 'Ada', email: 'ada@example.com' } as const
  const as = (caller: Caller) => problems(world, caller, BACKUPS)
  const admin = { ...person, support: false, organizationId: acme.id, role: 'ADMIN' } as const
  expect(await as(admin)).toHaveLength(1)
  expect(await as({ ...admin, role: 'MEMBER' })).toEqual([])
  const key = { kind: 'API_KEY', keyId: 'x', label: 'x', rules: keyRules(null), calledFrom: LOOPBACK } as const
  expect(await as({ ...key, organizationId: acme.id, role: 'ADMIN' })).toEqual([])
  const personal = await world.database.read
    .selectFrom('user')
    .select('personalOrganizationId')
    .where('id', '=', ada.userId)
    .executeTakeFirstOrThrow()
  expect(await as({ ...admin, organizationId: personal.personalOrganizationId })).toEqual([])
})
