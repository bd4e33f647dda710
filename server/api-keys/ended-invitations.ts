import type { SelectQueryBuilder } from 'kysely'
import type { Ctx } from '../ctx.ts'
import { openInvitations } from '../db/open-invitations.ts'
import type { Tables } from '../db/tables.ts'

/**
 * How many open invitations each of these keys has created or raised to Admin, which end with it. Call it once the keys
 * are locked: no more are added then.
 */
export async function invitationsOf(
  { db, caller, now }: Ctx,
  ids: readonly string[] | SelectQueryBuilder<Tables, 'apiKey', { id: string }>,
): Promise<Map<string, number>> {
  const rows = await openInvitations(db, now())
    .where('invitation.organizationId', '=', caller.organizationId)
    .where((eb) => eb.or([eb('invitation.invitedByKeyId', 'in', ids), eb('invitation.raisedByKeyId', 'in', ids)]))
    .select(['invitation.invitedByKeyId', 'invitation.raisedByKeyId'])
    .execute()
  const counts = new Map<string, number>()
  for (const { invitedByKeyId, raisedByKeyId } of rows) {
    for (const id of new Set([invitedByKeyId, raisedByKeyId]))
      if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

/** The last part of an audit entry; empty when no invitation ended. */
export function endedInvitationsText(ended: number): string {
  if (ended === 0) return ''
  return ended === 1 ? '; 1 open invitation ended' : `; ${ended} open invitations ended`
}
