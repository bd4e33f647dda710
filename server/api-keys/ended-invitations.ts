import type { SelectQueryBuilder } from 'kysely'
import type { Ctx } from '../ctx.ts'
import { openInvitations } from '../db/open-invitations.ts'
import type { Tables } from '../db/tables.ts'

/**
 * How many open invitations each of these keys has created, which end with it. Call it once the keys are locked: no more
 * are added then.
 */
export async function invitationsOf(
  { db, caller, now }: Ctx,
  ids: readonly string[] | SelectQueryBuilder<Tables, 'apiKey', { id: string }>,
): Promise<Map<string, number>> {
  const rows = await openInvitations(db, now())
    .where('invitation.organizationId', '=', caller.organizationId)
    .where('invitation.invitedByKeyId', 'in', ids)
    .groupBy('invitation.invitedByKeyId')
    .select(({ fn }) => ['invitation.invitedByKeyId as keyId', fn.countAll().as('count')])
    .execute()
  return new Map(rows.map(({ keyId, count }) => [keyId ?? '', Number(count)]))
}

/** The last part of an audit entry; empty when no invitation ended. */
export function endedInvitationsText(ended: number): string {
  if (ended === 0) return ''
  return ended === 1 ? '; 1 open invitation ended' : `; ${ended} open invitations ended`
}
