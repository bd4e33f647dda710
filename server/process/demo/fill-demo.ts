import { generateApiKey } from '../../api-keys/generate.ts'
import { insertEvent } from '../../audit/audit-event.ts'
import type { Ctx, SystemCaller } from '../../caller/ctx.ts'
import type { Deps } from '../../caller/deps.ts'
import type { Role } from '../../db/tables.ts'
import { createPasswords } from '../../identity/password.ts'
import { DAY } from '../../lib/clock.ts'
import { randomPassword } from '../../secrets/secret.ts'
import { addMember, createUser } from '../../users/create-user.ts'
import { addDemoDevices } from './demo-devices.ts'
import { addDemoKeys } from './demo-keys.ts'

export const DEMO_AGE_MS = 120 * DAY

/** Fills a new organization as if it had been in use for months, and generates the key that is printed. */
export async function fillDemo(
  { database, now, passwordCost }: Deps,
  organizationId: string,
): Promise<{ secret: string }> {
  const caller: SystemCaller = { kind: 'SYSTEM', organizationId, role: 'ADMIN' }
  const ctx = { caller, reads: database.read, database, now }
  const passwordHash = await createPasswords({ cost: passwordCost }).hash(randomPassword())
  await addDemoPeople(ctx, passwordHash)
  const { deviceKeyId } = await addDemoKeys(ctx)
  await addDemoDevices(ctx, deviceKeyId)
  await creditColleague(ctx)
  return generateApiKey(ctx, { label: 'First key' })
}

const PEOPLE: readonly { name: string; email: string; role: Role; joinedMs: number }[] = [
  { name: 'Maya Chen', email: 'maya@example.com', role: 'ADMIN', joinedMs: 119.5 * DAY },
  { name: 'Jonas Weber', email: 'jonas@example.com', role: 'MEMBER', joinedMs: 58 * DAY },
  { name: 'Priya Nair', email: 'priya@example.com', role: 'MEMBER', joinedMs: 16 * DAY },
]

/** Colleagues in the demo. Nobody knows their passwords: `portal user reset` makes a new one. */
function addDemoPeople({ database, caller, now }: Ctx, passwordHash: string): Promise<void> {
  const { organizationId } = caller
  return database.transaction(async (db) => {
    for (const { name, email, role, joinedMs } of PEOPLE) {
      const at = now() - joinedMs
      const { userId } = await createUser(db, at, { email, name, passwordHash, isVerified: true })
      await addMember(db, at, { organizationId, userId, role })
      const actor = { kind: 'USER', id: userId, name } as const
      await insertEvent(db, at, { action: 'user.joined', subject: name, details: `as ${role}`, actor, organizationId })
    }
  })
}

/** What was made for the demo so far was done by one of the colleagues, and not by the command line. */
function creditColleague({ database, caller }: Ctx): Promise<void> {
  const { organizationId } = caller
  return database.transaction(async (db) => {
    const { id, name } = await db
      .selectFrom('user')
      .select(['id', 'name'])
      .where('email', '=', PEOPLE[0]?.email ?? '')
      .executeTakeFirstOrThrow()
    await db
      .updateTable('auditEvent')
      .set({ actorKind: 'USER', actorId: id, actorName: name })
      .where('organizationId', '=', organizationId)
      .where('actorKind', '=', 'SYSTEM')
      .where('action', '!=', 'organization.created')
      .execute()
    await db
      .updateTable('apiKey')
      .set({ createdByKind: 'USER', createdById: id, createdByName: name })
      .where('organizationId', '=', organizationId)
      .execute()
    await db
      .updateTable('apiKey')
      .set({ pausedByKind: 'USER', pausedById: id, pausedByName: name })
      .where('organizationId', '=', organizationId)
      .where('pausedUntil', 'is not', null)
      .execute()
  })
}
