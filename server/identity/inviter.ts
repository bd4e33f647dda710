import { forKeyShare, forShare } from '../db/locks.ts'
import type { Db, InvitationTable } from '../db/tables.ts'
import { keyRules, requireKnownRules } from '../key-rules.ts'

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
      .select(['expiresAt', 'rules', 'rulesVersion'])
      .where('id', '=', invitedByKeyId)
    const key = await (lock ? forKeyShare(db, query) : query).executeTakeFirst()
    if (!key || (key.expiresAt !== null && key.expiresAt <= now)) return false
    requireKnownRules(key)
    return role !== 'ADMIN' || keyRules(key.rules).managesKeys
  }
  if (invitedByUserId === null) return true // created by the command line: the operator loses no right
  const query = db
    .selectFrom('membership')
    .select('role')
    .where('organizationId', '=', organizationId)
    .where('userId', '=', invitedByUserId)
  return (await (lock ? forShare(db, query) : query).executeTakeFirst())?.role === 'ADMIN'
}
