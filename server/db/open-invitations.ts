import type { Db } from './tables.ts'

/** Revoking a key deletes its invitations, but an expired key still exists for some days, so those are excluded here. */
export const openInvitations = (db: Db, now: number) =>
  db
    .selectFrom('invitation')
    .where('invitation.expiresAt', '>', now)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('apiKey')
            .select('apiKey.id')
            .where((eb) =>
              eb('apiKey.id', 'in', [eb.ref('invitation.invitedByKeyId'), eb.ref('invitation.raisedByKeyId')]),
            )
            .where('apiKey.expiresAt', '<=', now),
        ),
      ),
    )
