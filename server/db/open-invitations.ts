import type { Db } from './tables.ts'

/**
 * Invitations that can still be accepted. Revoking a key deletes the invitations that it created. An expired key still
 * exists for some days, so its invitations are excluded here.
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
