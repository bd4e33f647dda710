import { about, recordEvent } from '../audit/audit-event.ts'
import { changesBetween, deletedWith } from '../audit/changed-fields.ts'
import { type Ctx, requireAdmin, type TransactionCtx, withOrganizationLock } from '../caller/ctx.ts'
import type { Role } from '../db/tables.ts'
import { AppError } from '../lib/app-error.ts'
import { expireEmailsTo } from '../mail/email-queue.ts'
import { currentOrganization } from '../organizations/organization.ts'
import { changeInvitedRole, endInvitationsBy, type LinkDependencies, requireMayGrant } from './invitation.ts'
import { findPerson, type Person } from './person.ts'

/** An Admin changes the role of a member, or the role that an invitation will give. */
export function changeUserRole(
  outer: Ctx,
  userId: string,
  role: Role,
  dependencies: LinkDependencies,
): Promise<Person> {
  requireAdmin(outer.caller)
  return withOrganizationLock(role === 'ADMIN' ? outer : { ...outer, usesReserve: 'revoke' }, async (ctx) => {
    requireMayGrant(ctx.caller, role)
    const person = await findPerson(ctx, userId)
    if (person.role === role) return person
    await requireAnotherAdmin(ctx, person)
    const isLinkVoid = person.invited && (await changeInvitedRole(ctx, person.id, role, dependencies))
    if (!person.invited) await writeRole(ctx, person, role)
    if (role !== 'ADMIN') await recordLoss(ctx, person, 'ADMIN_ROLE')
    const ended = role === 'ADMIN' ? undefined : await endInvitations(ctx, person)
    await recordEvent(ctx, {
      action: 'user.role_changed',
      ...personSubject(person),
      changes: changesBetween({ role: person.role }, { role }),
      details: [
        `${person.role} to ${role}`,
        ...(ended ? [ended] : []),
        ...(isLinkVoid ? ['the link that the key had created is void'] : []),
      ].join('; '),
    })
    return { ...person, role }
  })
}

/** Removes a member or an invitation; anyone may leave. Their keys stay (C6), their invitations do not (C13). */
export function removeUser(outer: Ctx, userId: string): Promise<string> {
  const leaves = outer.caller.kind === 'USER' && outer.caller.userId === userId
  if (!leaves) requireAdmin(outer.caller)
  return withOrganizationLock({ ...outer, usesReserve: 'revoke' }, async (ctx) => {
    const { kind } = await currentOrganization(ctx)
    const person = await findPerson(ctx, userId)
    if (kind === 'PERSONAL') throw new AppError('FORBIDDEN', { message: 'You cannot leave a personal account.' })
    await requireAnotherAdmin(ctx, person)
    await deletePerson(ctx, person)
    await recordLoss(ctx, person, 'MEMBERSHIP')
    const details = person.invited ? 'invitation withdrawn' : await endInvitations(ctx, person)
    await recordEvent(ctx, {
      action: leaves ? 'user.left' : 'user.removed',
      ...personSubject(person),
      changes: deletedWith({ name: person.name, email: person.email, role: person.role }),
      ...(details && { details }),
    })
    return person.id
  })
}

const personSubject = ({ id, name, invited }: Person) => about(invited ? 'INVITATION' : 'USER', id, name)

/** The last Admin cannot leave or lose the role: nobody else could invite people. */
async function requireAnotherAdmin({ db, caller }: TransactionCtx, { id, role, invited }: Person): Promise<void> {
  if (invited || role !== 'ADMIN') return
  const another = await db
    .selectFrom('membership')
    .select('userId')
    .where('organizationId', '=', caller.organizationId)
    .where('role', '=', 'ADMIN')
    .where('userId', '!=', id)
    .limit(1)
    .executeTakeFirst()
  if (!another)
    throw new AppError('CONFLICT', {
      message: 'The last Admin cannot leave or lose the role: make somebody else an Admin first.',
    })
}

/** So that no restore gives it back, and no queued email tells them what only Admins learn. Restores end invitations. */
async function recordLoss(
  { db, caller: { organizationId }, now }: TransactionCtx,
  { id: subject, email, createdAt, invited }: Person,
  kind: 'MEMBERSHIP' | 'ADMIN_ROLE',
): Promise<void> {
  if (invited) return
  const endsAt = Math.max(now(), createdAt) // the clock may have been set back since they joined
  db.recordRevocations([{ kind, organizationId, subject, endsAt }])
  await expireEmailsTo(db, organizationId, email, now())
}

async function endInvitations({ db, caller }: TransactionCtx, { id }: Person): Promise<string | undefined> {
  const ended = await endInvitationsBy(db, caller.organizationId, id)
  if (ended === 0) return undefined
  return ended === 1 ? '1 open invitation of theirs withdrawn' : `${ended} open invitations of theirs withdrawn`
}

async function writeRole(
  { db, caller: { organizationId } }: TransactionCtx,
  { id }: Person,
  role: Role,
): Promise<void> {
  await db
    .updateTable('membership')
    .set({ role })
    .where('organizationId', '=', organizationId)
    .where('userId', '=', id)
    .execute()
}

async function deletePerson(
  { db, caller: { organizationId } }: TransactionCtx,
  { id, invited }: Person,
): Promise<void> {
  const query = invited
    ? db.deleteFrom('invitation').where('organizationId', '=', organizationId).where('id', '=', id)
    : db.deleteFrom('membership').where('organizationId', '=', organizationId).where('userId', '=', id)
  await query.execute()
}
