import { expect } from 'vitest'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import { ALL_ACTIONS, type AuditAction } from '../audit/actions.ts'
import { insertEvent } from '../audit/audit-event.ts'
import { oldEvents } from '../audit/audit-retention.ts'
import { readConfig } from '../config.ts'
import { deleteInSteps } from '../db/delete-in-steps.ts'
import type { Db } from '../db/tables.ts'
import { DAY, HOUR } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { createLog } from '../lib/log.ts'
import { runBackgroundJobs } from './background-jobs.ts'

const it = inOwnWorld(startWorld)

const ACTOR = { kind: 'SYSTEM', id: null, name: 'portal' } as const

/** The background jobs, once, with these settings. */
async function runJobs({ database, clock, config }: World, env: Record<string, string> = {}): Promise<void> {
  const { retention } = readConfig(env)
  const deps = { database, config: { ...config, retention }, now: clock.now, webDir: undefined }
  await runBackgroundJobs({ ...deps, log: createLog('silent', process.stderr) })
}

const insertEvents = ({ database }: World, organizationId: string, events: [action: AuditAction, at: number][]) =>
  database.transaction(async (db) => {
    for (const [action, at] of events) await insertEvent(db, at, { action, subject: 'x', actor: ACTOR, organizationId })
  })

const ids = (
  db: Db,
  table: 'auditEvent' | 'email' | 'session' | 'invitation' | 'passwordReset' | 'emailVerification',
) => db.selectFrom(table).select('id').execute()

const actions = async ({ database }: World, before: number) =>
  (await database.read.selectFrom('auditEvent').select('action').where('at', '<', before).orderBy('id').execute()).map(
    ({ action }) => action,
  )

it('audit events are deleted after RETAIN_AUDIT_DAYS', async ({ world, acme }) => {
  const now = world.clock.now()
  const events: [AuditAction, number][] = [
    ['device.created', now - 11 * DAY],
    ['device.updated', now - 10 * DAY - 1],
    ['device.deleted', now - 10 * DAY],
    ['user.invited', now - DAY],
  ]
  await insertEvents(world, acme.id, events)
  await runJobs(world, { RETAIN_AUDIT_DAYS: '10' })
  expect(await actions(world, now - HOUR)).toEqual(['device.deleted', 'user.invited'])
  world.clock.advance(DAY)
  await runJobs(world, { RETAIN_AUDIT_DAYS: '10' })
  expect(await actions(world, now - HOUR)).toEqual(['user.invited'])
})

it('by default after a year, and never with forever or 0', async ({ world, acme }) => {
  const now = world.clock.now()
  await insertEvents(world, acme.id, [
    ['device.created', 1000],
    ['device.updated', now - 364 * DAY],
  ])
  for (const days of ['forever', '0']) await runJobs(world, { RETAIN_AUDIT_DAYS: days })
  expect(await actions(world, now - HOUR)).toEqual(['device.created', 'device.updated'])
  await runJobs(world)
  expect(await actions(world, now - HOUR)).toEqual(['device.updated'])
})

it('records of access that was taken away are never deleted, all others are, and revocations never', async ({
  world,
  acme,
}) => {
  const { id } = await acme.generateKey()
  await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id })
  const now = world.clock.now()
  const revocations = await world.database.read.selectFrom('revocation').selectAll().execute()
  const state = await world.database.read.selectFrom('revocationState').selectAll().execute()
  expect(revocations.length).toBeGreaterThan(0)
  await insertEvents(
    world,
    acme.id,
    ALL_ACTIONS.map((action) => [action, now - 3000 * DAY]),
  )
  world.clock.advance(3000 * DAY)
  await runJobs(world, { RETAIN_AUDIT_DAYS: '1' })
  const left = await actions(world, world.clock.now())
  expect([...new Set(left)].sort()).toEqual([
    'api_key.leaked',
    'api_key.revoked',
    'api_key.rotated',
    'api_keys.policy_changed',
    'api_keys.released',
    'api_keys.revoked',
    'api_keys.switched_off',
    'database.restored',
    'support.revoked',
    'user.left',
    'user.removed',
    'user.role_changed',
  ])
  expect(left.filter((action) => action === 'api_key.revoked')).toHaveLength(2)
  expect(await world.database.read.selectFrom('revocation').selectAll().execute()).toEqual(revocations)
  expect(await world.database.read.selectFrom('revocationState').selectAll().execute()).toEqual(state)
})

it('the generation of a key by a key is never deleted: it says what a leaked key has created', async ({
  world,
  acme,
}) => {
  const leaked = await acme.generateKey()
  await world.asKey(leaked.secret).call('mutation { generateApiKey { secret } }')
  world.clock.advance(3000 * DAY)
  await runJobs(world, { RETAIN_AUDIT_DAYS: '1' })
  expect(await actions(world, world.clock.now())).toContain('api_key.generated')
  const left = world.database.read.selectFrom('auditEvent').select('actorId').where('action', '=', 'api_key.generated')
  expect(await left.execute()).toEqual([{ actorId: leaked.id }])
})

it('emails are deleted after RETAIN_EMAIL_DAYS', async ({ world, acme }) => {
  const now = world.clock.now()
  const email = {
    organizationId: acme.id,
    kind: 'KEY_EXPIRY',
    recipient: 'a@example.com',
    subject: 's',
    text: 't',
  } as const
  const state = { encrypted: 0, usefulUntil: 0, nextTryAt: 0, tries: 0, sentAt: null } as const
  const none = { linkHash: null, lastError: null, causedById: null }
  const [old, young] = [now - 8 * DAY, now - 6 * DAY].map((at) => ({
    ...email,
    ...state,
    ...none,
    id: newId(at),
    createdAt: at,
  }))
  if (!old || !young) throw new Error('There are two.')
  await world.database.transaction((db) => db.insertInto('email').values([old, young]).execute())
  await runJobs(world, { RETAIN_EMAIL_DAYS: '7' })
  expect(await ids(world.database.read, 'email')).toEqual([{ id: young.id }])
})

it('sessions are deleted once they have been expired for RETAIN_SESSION_DAYS, and no others', async ({ world }) => {
  await world.signUp('Grace')
  world.clock.advance(3 * DAY)
  const late = await world.signUp('Hedy')
  world.clock.advance(6 * DAY)
  await runJobs(world, { RETAIN_SESSION_DAYS: '2' })
  expect(await ids(world.database.read, 'session')).toHaveLength(2) // one of them expired two days ago, not longer
  world.clock.advance(1)
  await runJobs(world, { RETAIN_SESSION_DAYS: '2' })
  const left = await world.database.read.selectFrom('session').select('userId').execute()
  expect(left).toEqual([{ userId: late.userId }])
})

it('links are deleted once they have been expired for RETAIN_INVITATION_DAYS, and no open one', async ({
  world,
  acme,
}) => {
  const invite = (email: string) =>
    acme.call('mutation ($input: InviteUserInput!) { inviteUser(input: $input) { link } }', {
      input: { email, role: 'MEMBER' },
    })
  await invite('first@example.com')
  await invite('again@example.com')
  const at = world.clock.now()
  const link = { userId: acme.admin.userId, createdAt: at, expiresAt: at + HOUR }
  await world.database.transaction(async (db) => {
    await db
      .insertInto('passwordReset')
      .values({ ...link, id: newId(at), tokenHash: Buffer.from('r'), emailed: 0 })
      .execute()
    await db
      .insertInto('emailVerification')
      .values({ ...link, id: newId(at), tokenHash: Buffer.from('v') })
      .execute()
  })
  world.clock.advance(10 * HOUR)
  await invite('again@example.com') // updates the row, with a later expiration
  world.clock.advance(9 * DAY)
  await runJobs(world, { RETAIN_INVITATION_DAYS: '6' })
  const left = await world.database.read.selectFrom('invitation').select('email').execute()
  expect(left).toEqual([{ email: 'again@example.com' }])
  expect(await ids(world.database.read, 'passwordReset')).toEqual([])
  expect(await ids(world.database.read, 'emailVerification')).toEqual([])
})

it('several processes at once, and one that is stopped in the middle, delete every old row once', async ({
  world,
  acme,
}) => {
  const now = world.clock.now()
  const old = Array.from({ length: 1200 }, (_, index): [AuditAction, number] => [
    index % 100 === 0 ? 'api_key.revoked' : 'device.updated',
    now - 30 * DAY + index,
  ])
  await insertEvents(world, acme.id, old)
  let looks = 0
  const stopped = await deleteInSteps(world.database, oldEvents(now - DAY), { isClosing: () => ++looks > 2 })
  const left = await actions(world, now - DAY)
  expect(left.length).toBeGreaterThan(600)
  expect(left.length).toBeLessThan(1200)
  expect(stopped).not.toBe('')
  await Promise.all([1, 2, 3].map(() => deleteInSteps(world.database, oldEvents(now - DAY))))
  await deleteInSteps(world.database, oldEvents(now - DAY))
  expect(await actions(world, now - DAY)).toEqual(Array(12).fill('api_key.revoked'))
})
