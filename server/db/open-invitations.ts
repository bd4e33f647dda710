import type { Db } from './tables.ts'

/**
 * Invitations that can still be accepted. The row of one goes with the key that made it when the key is revoked; a key that
 * has expired is there for some more days, so its invitations are left out here.
 */
export const openInvitations = (db: Db, now: number) =>
  db
    .selectFrom('invitation')
    .where('invitation.expiresAt', '>', now)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('apiKey')
            .select('apiKey.id')
            .whereRef('apiKey.id', '=', 'invitation.invitedByKeyId')
            .where('apiKey.expiresAt', '<=', now),
        ),
      ),
    )
