import { forKeyShare, forShare } from '../db/locks.ts'
import type { Db, InvitationTable } from '../db/tables.ts'
import { includes } from '../key-access.ts'
import { keyRules, requireKnownRules } from '../key-rules.ts'
import { dormancyOf } from '../verify-key.ts'

type Judged = Pick<InvitationTable, 'organizationId' | 'role' | 'invitedByUserId' | 'invitedByKeyId'>

/**
 * Whether the inviter may still let somebody in with this role (C13). With a lock, inside a transaction, this stays
 * true until it commits: a transaction that takes the right away waits.
 */
export async function mayStillInvite(
  db: Db,
  invitation: Judged,
  now: number,
  { lock }: { lock: boolean },
): Promise<boolean> {
  const { organizationId, role, invitedByUserId, invitedByKeyId } = invitation
  if (invitedByKeyId !== null) {
    const query = db
      .selectFrom('apiKey')
      .select(['expiresAt', 'pausedUntil', 'rules', 'rulesVersion'])
      .where('id', '=', invitedByKeyId)
    const key = await (lock ? forKeyShare(db, query) : query).executeTakeFirst()
    if (!key) return false
    requireKnownRules(key)
    const rules = keyRules(key.rules)
    if (dormancyOf(key, rules, now) || !includes(rules.access, 'inviteUser')) return false
    return role !== 'ADMIN' || rules.managesKeys
  }
  if (invitedByUserId === null) return true // created by the command line: the operator loses no right
  const query = db
    .selectFrom('membership')
    .select('role')
    .where('organizationId', '=', organizationId)
    .where('userId', '=', invitedByUserId)
  return (await (lock ? forShare(db, query) : query).executeTakeFirst())?.role === 'ADMIN'
}
