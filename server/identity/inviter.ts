import { includes, keyRules, mayMakeAdmins, requireKnownRules } from '../caller/key-rules.ts'
import { dormancyOf } from '../caller/verify-key.ts'
import { forKeyShare, forShare } from '../db/locks.ts'
import type { Db, InvitationTable, InvitedBy, RaisedBy } from '../db/tables.ts'
import { ACCESS_TO_INVITE } from '../users/invitation.ts'

type Judged = Pick<InvitationTable, 'organizationId' | 'role' | keyof InvitedBy | keyof RaisedBy>

/** Who gave the invited person their role: whoever raised the invitation to Admin, or else created it. */
export function granterOf({ raisedByUserId, raisedByKeyId, invitedByUserId, invitedByKeyId }: Judged): InvitedBy {
  return raisedByUserId !== null || raisedByKeyId !== null
    ? { invitedByUserId: raisedByUserId, invitedByKeyId: raisedByKeyId }
    : { invitedByUserId, invitedByKeyId }
}

/**
 * Whether the inviter may still let somebody in with this role, and of an invitation that was raised to Admin, the
 * inviter as a Member and whoever raised it as an Admin (C13). With a lock, inside a transaction, this stays true until
 * it commits: a transaction that takes the right away waits.
 */
export async function mayStillInvite(
  db: Db,
  invitation: Judged,
  now: number,
  how: { lock: boolean },
): Promise<boolean> {
  const { organizationId, role } = invitation
  const granter = { ...granterOf(invitation), organizationId, role }
  const isRaised =
    granter.invitedByUserId !== invitation.invitedByUserId || granter.invitedByKeyId !== invitation.invitedByKeyId
  const all = isRaised ? [{ ...invitation, role: 'MEMBER' as const }, granter] : [granter]
  all.sort(byKey) // the order in which all transactions lock keys
  for (const each of all) if (!(await mayStillGrant(db, each, now, how))) return false
  return true
}

type Grant = Pick<InvitationTable, 'organizationId' | 'role' | keyof InvitedBy>

const byKey = (a: Grant, b: Grant) => ((a.invitedByKeyId ?? '') < (b.invitedByKeyId ?? '') ? -1 : 1)

async function mayStillGrant(
  db: Db,
  { organizationId, role, invitedByUserId, invitedByKeyId }: Grant,
  now: number,
  { lock }: { lock: boolean },
): Promise<boolean> {
  if (invitedByKeyId !== null) {
    const query = db
      .selectFrom('apiKey')
      .select(['expiresAt', 'pausedUntil', 'rules', 'rulesVersion'])
      .where('id', '=', invitedByKeyId)
    const key = await (lock ? forKeyShare(db, query) : query).executeTakeFirst()
    if (!key) return false
    requireKnownRules(key)
    const rules = keyRules(key.rules)
    if (dormancyOf(key, rules, now) || !includes(rules.access, { accesses: ACCESS_TO_INVITE })) return false
    return role !== 'ADMIN' || mayMakeAdmins(rules)
  }
  if (invitedByUserId === null) return true // created by the command line: the operator loses no right
  const query = db
    .selectFrom('membership')
    .select('role')
    .where('organizationId', '=', organizationId)
    .where('userId', '=', invitedByUserId)
  return (await (lock ? forShare(db, query) : query).executeTakeFirst())?.role === 'ADMIN'
}
