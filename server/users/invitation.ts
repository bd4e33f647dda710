import { recordEvent } from '../audit/audit-event.ts'
import { type Caller, type Ctx, inHeldOrganization, requireAdmin } from '../ctx.ts'
import { openInvitations } from '../db/open-invitations.ts'
import type { Db, InvitationTable, InvitedBy, Role } from '../db/tables.ts'
import { checkEmail, checkText } from '../lib/check.ts'
import { HOUR } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import { newId } from '../lib/id.ts'
import type { Seal } from '../lib/seal.ts'
import { hashSecret, isWellFormed, mintSecret } from '../lib/secret.ts'
import { currentOrganization } from '../organizations/organization.ts'
import { requireMayGrant } from './admin-role.ts'
import { sendInvitation } from './invitation-letter.ts'
import { requireRoomForInvitation } from './people-limits.ts'
import { findPerson, type Person } from './person.ts'

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
] as const satisfies (keyof Invitation)[]

interface NewInvitation {
  email: string
  name?: string | null | undefined
  role?: Role | null | undefined
  /** Where the link begins. */
  origin: string
  /** Given, the link is sent to them as well. */
  mailSeal?: Seal | undefined
}

/** Whom, by which link, and whether it was sent by email. */
export interface Invited {
  user: Person
  link: string
  emailed: boolean
}

/** Invites an address by a link that works once, for 72 hours. Inviting it again makes a fresh link and kills the old one. */
export function inviteUser(outer: Ctx, input: NewInvitation): Promise<Invited> {
  requireAdmin(outer.caller)
  const email = checkEmail('email', input.email)
  const name = input.name == null ? '' : checkText('name', input.name)
  const role = input.role ?? 'MEMBER'
  return inHeldOrganization(outer, async (ctx) => {
    requireMayGrant(ctx.caller, role)
    const organization = await requireInvitable(ctx, email)
    await requireRoomForInvitation(ctx, email)
    const token = mintSecret('emi_')
    const id = await putInvitation(ctx, { email, name, role, token })
    await recordEvent(ctx, { action: 'user.invited', subject: email, details: `as ${role}` })
    const link = `${input.origin}/invitations#${token}`
    const until = ctx.now() + LIFETIME_MS
    const { mailSeal } = input
    const emailed = mailSeal
      ? await sendInvitation(ctx, { email, organization, role, link, token, until }, mailSeal)
      : false
    return { user: await findPerson(ctx, id), link, emailed }
  })
}

/** The invitation behind a link that can still be used. */
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

/** Ends what a person has invited to, inside the transaction in which they lose the right (C13); says how many. */
export async function endInvitationsBy(db: Db, organizationId: string, userId: string): Promise<number> {
  const ended = await db
    .deleteFrom('invitation')
    .where('organizationId', '=', organizationId)
    .where('invitedByUserId', '=', userId)
    .returning('id')
    .execute()
  return ended.length
}

/** Gives the name of the organization into which they may be invited. */
async function requireInvitable(ctx: Ctx, email: string): Promise<string> {
  const organization = await currentOrganization(ctx)
  if (organization.kind === 'PERSONAL') {
    throw new Failure('FORBIDDEN', { says: 'A personal account has no other members.' })
  }
  const member = await ctx.db
    .selectFrom('membership')
    .innerJoin('user', 'user.id', 'membership.userId')
    .select('user.id')
    .where('membership.organizationId', '=', organization.id)
    .where('user.email', '=', email)
    .executeTakeFirst()
  if (member) throw new Failure('CONFLICT', { field: 'email', says: 'This person is a member already.' })
  return organization.name
}

async function putInvitation(
  { db, caller, now }: Ctx,
  { email, name, role, token }: { email: string; name: string; role: Role; token: string },
): Promise<string> {
  const { organizationId } = caller
  const at = now()
  await db.deleteFrom('invitation').where('organizationId', '=', organizationId).where('expiresAt', '<=', at).execute()
  const term = { createdAt: at, expiresAt: at + LIFETIME_MS }
  const fresh = { name, role, tokenHash: hashSecret(token), ...term, ...inviterOf(caller) }
  const { id } = await db
    .insertInto('invitation')
    .values({ id: newId(at), organizationId, email, ...fresh })
    .onConflict((conflict) => conflict.columns(['organizationId', 'email']).doUpdateSet(fresh))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** On whose right an invitation rests that this caller makes (C13). */
export const inviterOf = (caller: Caller): InvitedBy => ({
  invitedByUserId: caller.kind === 'USER' ? caller.userId : null,
  invitedByKeyId: caller.kind === 'API_KEY' ? caller.keyId : null,
})
