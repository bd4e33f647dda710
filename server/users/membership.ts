import { recordEvent } from '../audit/audit-event.ts'
import { changesBetween, deletedWith } from '../audit/changes.ts'
import { type Ctx, requireAdmin, withOrganizationLock } from '../ctx.ts'
import { recordRevocations } from '../db/revocations.ts'
import type { Role } from '../db/tables.ts'
import { AppError } from '../lib/app-error.ts'
import { expireEmailsTo } from '../mail/email-queue.ts'
import { currentOrganization } from '../organizations/organization.ts'
import { requireMayGrant } from './admin-role.ts'
import { changeInvitedRole, endInvitationsBy, type LinkMeans } from './invitation.ts'
import { findPerson, type Person } from './person.ts'

/** An Admin changes the role of a member, or the role that an invitation will give. */
export function changeUserRole(outer: Ctx, userId: string, role: Role, means: LinkMeans): Promise<Person> {
  requireAdmin(outer.caller)
  return withOrganizationLock(role === 'ADMIN' ? outer : { ...outer, usesReserve: 'revoke' }, async (ctx) => {
    requireMayGrant(ctx.caller, role)
    const person = await findPerson(ctx, userId)
    if (person.role === role) return person
    await requireAnotherAdmin(ctx, person)
    const isLinkVoid = person.invited && (await changeInvitedRole(ctx, person.id, role, means))
    if (!person.invited) await writeRole(ctx, person, role)
    if (role !== 'ADMIN') await recordLoss(ctx, person, 'ADMIN_ROLE')
    const ended = role === 'ADMIN' ? undefined : await endInvitations(ctx, person)
    await recordEvent(ctx, {
      action: 'user.role_changed',
      subject: person.name,
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

/**
 * An Admin removes a member or withdraws an invitation; anyone may leave. The person's keys stay (C6), and their open
 * invitations are withdrawn (C13).
 */
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
      subject: person.name,
      ...personSubject(person),
      changes: deletedWith({ name: person.name, email: person.email, role: person.role }),
      ...(details && { details }),
    })
    return person.id
  })
}

const personSubject = ({ id, invited }: Person) =>
  ({ subjectType: invited ? 'INVITATION' : 'USER', subjectId: id }) as const

/** The last Admin cannot leave or lose the role: nobody else could invite people. */
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
  if (!another)
    throw new AppError('CONFLICT', {
      message: 'The last Admin cannot leave or lose the role: make somebody else an Admin first.',
    })
}

/**
 * So that a restored database does not give it back, and no email that is still queued tells them what only Admins learn.
 * An invitation ends with every restore, and needs no record.
 */
async function recordLoss(
  { db, caller: { organizationId }, now }: Ctx,
  { id: subject, email, createdAt, invited }: Person,
  kind: 'MEMBERSHIP' | 'ADMIN_ROLE',
): Promise<void> {
  if (invited) return
  const endsAt = Math.max(now(), createdAt) // the clock may have been set back since they joined
  await recordRevocations(db, [{ kind, organizationId, subject, endsAt }])
  await expireEmailsTo(db, organizationId, email, now())
}

async function endInvitations({ db, caller }: Ctx, { id }: Person): Promise<string | undefined> {
  const ended = await endInvitationsBy(db, caller.organizationId, id)
  if (ended === 0) return undefined
  return ended === 1 ? '1 open invitation of theirs withdrawn' : `${ended} open invitations of theirs withdrawn`
}

async function writeRole({ db, caller: { organizationId } }: Ctx, { id }: Person, role: Role): Promise<void> {
  await db
    .updateTable('membership')
    .set({ role })
    .where('organizationId', '=', organizationId)
    .where('userId', '=', id)
    .execute()
}

async function deletePerson({ db, caller: { organizationId } }: Ctx, { id, invited }: Person): Promise<void> {
  const query = invited
    ? db.deleteFrom('invitation').where('organizationId', '=', organizationId).where('id', '=', id)
    : db.deleteFrom('membership').where('organizationId', '=', organizationId).where('userId', '=', id)
  await query.execute()
}
