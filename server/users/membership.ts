import { recordEvent } from '../audit/audit-event.ts'
import { type Ctx, inHeldOrganization, requireAdmin } from '../ctx.ts'
import type { Role } from '../db/tables.ts'
import { Failure } from '../lib/failure.ts'
import { currentOrganization } from '../organizations/organization.ts'
import { findPerson, type Person } from './person.ts'

/** An Admin changes the role of a member, or the role that an invitation will give. */
export function changeUserRole(outer: Ctx, userId: string, role: Role): Promise<Person> {
  requireAdmin(outer.caller)
  return inHeldOrganization(outer, async (ctx) => {
    const person = await findPerson(ctx, userId)
    if (person.role === role) return person
    await requireAnotherAdmin(ctx, person)
    await writeRole(ctx, person, role)
    await recordEvent(ctx, { action: 'user.role_changed', subject: person.name, details: `${person.role} to ${role}` })
    return { ...person, role }
  })
}

/** An Admin removes a member or withdraws an invitation; anyone may leave. The person's keys stay (C6). */
export function removeUser(outer: Ctx, userId: string): Promise<string> {
  const leaves = outer.caller.kind === 'USER' && outer.caller.userId === userId
  if (!leaves) requireAdmin(outer.caller)
  return inHeldOrganization(outer, async (ctx) => {
    const { kind } = await currentOrganization(ctx)
    const person = await findPerson(ctx, userId)
    if (kind === 'PERSONAL') throw new Failure('FORBIDDEN', { says: 'Nobody leaves a personal account.' })
    await requireAnotherAdmin(ctx, person)
    await deletePerson(ctx, person)
    await recordEvent(ctx, {
      action: leaves ? 'user.left' : 'user.removed',
      subject: person.name,
      ...(person.invited && { details: 'invitation withdrawn' }),
    })
    return person.id
  })
}

/** Whoever is the only Admin stays one: nobody else could let people in. */
async function requireAnotherAdmin({ db, caller }: Ctx, { id, role, invited }: Person): Promise<void> {
  if (invited || role !== 'ADMIN') return
  const another = await db
    .selectFrom('membership')
    .select('userId')
    .where('organizationId', '=', caller.organizationId)
    .where('role', '=', 'ADMIN')
    .where('userId', '!=', id)
    .limit(1)
    .executeTakeFirst()
  if (!another) throw new Failure('CONFLICT', { says: 'The last Admin stays: make somebody else an Admin first.' })
}

async function writeRole({ db, caller: { organizationId } }: Ctx, { id, invited }: Person, role: Role): Promise<void> {
  const query = invited
    ? db.updateTable('invitation').set({ role }).where('organizationId', '=', organizationId).where('id', '=', id)
    : db.updateTable('membership').set({ role }).where('organizationId', '=', organizationId).where('userId', '=', id)
  await query.execute()
}

async function deletePerson({ db, caller: { organizationId } }: Ctx, { id, invited }: Person): Promise<void> {
  const query = invited
    ? db.deleteFrom('invitation').where('organizationId', '=', organizationId).where('id', '=', id)
    : db.deleteFrom('membership').where('organizationId', '=', organizationId).where('userId', '=', id)
  await query.execute()
}
