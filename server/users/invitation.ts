import { about, recordEvent } from '../audit/audit-event.ts'
import { changesBetween } from '../audit/changed-fields.ts'
import { type Caller, type Ctx, requireAdmin, type TransactionCtx, withOrganizationLock } from '../caller/ctx.ts'
import { ADMIN_ONLY, mayMakeAdmins } from '../caller/key-rules.ts'
import { openInvitations } from '../db/open-invitations.ts'
import type { Db, InvitationTable, InvitedBy, RaisedBy, Role } from '../db/tables.ts'
import { AppError } from '../lib/app-error.ts'
import { checkAll, checkCanonicalEmail, checkName } from '../lib/check.ts'
import { HOUR } from '../lib/clock.ts'
import type { Encryption } from '../lib/encryption.ts'
import { newId } from '../lib/id.ts'
import { webLinks } from '../mail/web-links.ts'
import { currentOrganization } from '../organizations/organization.ts'
import { hashSecret, isWellFormed, mintSecret } from '../secrets/secret.ts'
import { sendInvitation } from './invitation-email.ts'
import { requireRoomForInvitation } from './invitation-limits.ts'
import { findPerson, type Person } from './person.ts'

/** The accesses of a key that invites, beside ADMIN: with less, it no longer vouches for whom it has invited. */
export const ACCESS_TO_INVITE = ADMIN_ONLY

const LIFETIME_MS = 72 * HOUR

export type Invitation = Omit<InvitationTable, 'tokenHash'>

const COLUMNS = [
  'id',
  'organizationId',
  'email',
  'name',
  'role',
  'createdAt',
  'expiresAt',
  'invitedByUserId',
  'invitedByKeyId',
  'raisedByUserId',
  'raisedByKeyId',
] as const satisfies (keyof Invitation)[]

export interface LinkDependencies {
  origin: string
  emailEncryption?: Encryption | undefined
}

interface NewInvitation extends LinkDependencies {
  email: string
  name?: string | null | undefined
  role?: Role | null | undefined
}

export interface Invited {
  user: Person
  link: string
  emailed: boolean
}

/** Invites an address by a link that works once, for 72 hours. Inviting it again voids the old link. */
export function inviteUser(outer: Ctx, input: NewInvitation): Promise<Invited> {
  requireAdmin(outer.caller)
  const { email, name } = checkInvitation(input)
  const role = input.role ?? 'MEMBER'
  return withOrganizationLock(outer, async (ctx) => {
    requireMayGrant(ctx.caller, role)
    const organization = await requireInvitable(ctx, email)
    await requireRoomForInvitation(ctx, email)
    const token = mintSecret('emi_')
    const { id, before, after } = await putInvitation(ctx, { email, name, role, token })
    await recordEvent(ctx, {
      action: 'user.invited',
      ...about('INVITATION', id, email),
      details: `as ${role}`,
      changes: changesBetween(before ? auditedInvitation(before) : {}, auditedInvitation(after)),
    })
    const link = webLinks.invitation(input.origin, token)
    const until = ctx.now() + LIFETIME_MS
    const { emailEncryption } = input
    const emailed = emailEncryption
      ? await sendInvitation(ctx, { email, organization, role, link, token, until }, emailEncryption)
      : false
    return { user: await findPerson(ctx, id), link, emailed }
  })
}

/** A key that may not manage keys, or only restricted ones, makes nobody an Admin. Call it inside the transaction. */
export function requireMayGrant(caller: Caller, role: Role): void {
  if (role !== 'ADMIN' || caller.kind !== 'API_KEY' || mayMakeAdmins(caller.rules)) return
  throw new AppError('FORBIDDEN', {
    message: `This API key ${caller.rules.managesKeys ? 'has networks or limits of its own' : 'may not manage keys, by the policy of its organization'}, so it cannot make anybody an Admin. Use the role MEMBER, or ask a person who is an Admin there.`,
  })
}

export const checkInvitation = (input: Pick<NewInvitation, 'email' | 'name'>) =>
  checkAll({
    email: () => checkCanonicalEmail('email', input.email),
    name: () => (input.name == null ? '' : checkName('name', input.name)),
  })

/** The invitation of a link that can still be used. */
export async function findInvitation(db: Db, token: string, now: number): Promise<Invitation | undefined> {
  if (!isWellFormed('emi_', token)) return undefined
  return openInvitations(db, now).select(COLUMNS).where('tokenHash', '=', hashSecret(token)).executeTakeFirst()
}

/** Uses up the link inside a transaction: of two who try, one gets the invitation. */
export async function takeInvitation(db: Db, token: string): Promise<boolean> {
  const taken = await db
    .deleteFrom('invitation')
    .where('tokenHash', '=', hashSecret(token))
    .returning('id')
    .executeTakeFirst()
  return taken !== undefined
}

/** Withdraws a person's invitations as they lose the right to invite (C13); returns how many. */
export async function endInvitationsBy(db: Db, organizationId: string, userId: string): Promise<number> {
  const ended = await db
    .deleteFrom('invitation')
    .where('organizationId', '=', organizationId)
    .where((eb) => eb.or([eb('invitedByUserId', '=', userId), eb('raisedByUserId', '=', userId)]))
    .returning('id')
    .execute()
  return ended.length
}

async function requireInvitable(ctx: TransactionCtx, email: string): Promise<string> {
  const organization = await currentOrganization(ctx)
  if (organization.kind === 'PERSONAL')
    throw new AppError('FORBIDDEN', { message: 'A personal account has no other members.' })
  const member = await ctx.db
    .selectFrom('membership')
    .innerJoin('user', 'user.id', 'membership.userId')
    .select('user.id')
    .where('membership.organizationId', '=', organization.id)
    .where('user.email', '=', email)
    .executeTakeFirst()
  if (member) throw new AppError('CONFLICT', { field: 'email', message: 'This person is a member already.' })
  return organization.name
}

async function putInvitation(
  { db, caller, now }: TransactionCtx,
  { email, name, role, token }: { email: string; name: string; role: Role; token: string },
): Promise<{ id: string; before: Invitation | undefined; after: Invitation }> {
  const { organizationId } = caller
  const at = now()
  await db.deleteFrom('invitation').where('organizationId', '=', organizationId).where('expiresAt', '<=', at).execute()
  const term = { createdAt: at, expiresAt: at + LIFETIME_MS }
  const fresh = { name, role, tokenHash: hashSecret(token), ...term, ...inviterOf(caller), ...NOT_RAISED }
  const before = await db
    .selectFrom('invitation')
    .select(COLUMNS)
    .where('organizationId', '=', organizationId)
    .where('email', '=', email)
    .executeTakeFirst()
  const after = await db
    .insertInto('invitation')
    .values({ id: newId(at), organizationId, email, ...fresh })
    .onConflict((conflict) => conflict.columns(['organizationId', 'email']).doUpdateSet(fresh))
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return { id: after.id, before, after }
}

/** An invitation as the audit log shows it: never its link. */
const auditedInvitation = ({ email, name, role, expiresAt }: Invitation) => ({
  email,
  name: name || null,
  role,
  expiresAt: new Date(expiresAt).toISOString(),
})

/** The person or key on whose right an invitation by this caller depends (C13). */
const inviterOf = (caller: Caller): InvitedBy => ({
  invitedByUserId: caller.kind === 'USER' ? caller.userId : null,
  invitedByKeyId: caller.kind === 'API_KEY' ? caller.keyId : null,
})

const NOT_RAISED: RaisedBy = { raisedByUserId: null, raisedByKeyId: null }

/**
 * Raised to Admin, an invitation depends also on the right of whoever raised it, beside its creator, who may have the
 * link (C13). If a key created it, the link that the key knows ends, and a new one is sent. Returns whether it ended.
 */
export async function changeInvitedRole(
  ctx: TransactionCtx,
  id: string,
  role: Role,
  dependencies: LinkDependencies,
): Promise<boolean> {
  const { db, caller } = ctx
  const { organizationId } = caller
  const { invitedByUserId: raisedByUserId, invitedByKeyId: raisedByKeyId } = inviterOf(caller)
  const raised = role === 'ADMIN' ? { raisedByUserId, raisedByKeyId } : NOT_RAISED
  const changed = await db
    .updateTable('invitation')
    .set({ role, ...raised })
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirst()
  if (role !== 'ADMIN' || !changed || changed.invitedByKeyId === null || changed.invitedByKeyId === raisedByKeyId)
    return false
  const token = mintSecret('emi_')
  await db
    .updateTable('invitation')
    .set({ tokenHash: hashSecret(token) })
    .where('id', '=', id)
    .execute()
  if (!dependencies.emailEncryption) return true
  const { email, expiresAt: until } = changed
  const { name: organization } = await currentOrganization(ctx)
  await sendInvitation(
    ctx,
    { email, organization, role, link: webLinks.invitation(dependencies.origin, token), token, until },
    dependencies.emailEncryption,
  )
  return true
}
