import type { Ctx } from '../ctx.ts'
import { countRows } from '../db/count.ts'
import { LIMITS, limitExceeded } from '../limits.ts'

/**
 * Refuses one more invitation where there are too many people or open invitations; inviting somebody again does not
 * count.
 */
export async function requireRoomForInvitation({ db, caller, now }: Ctx, email: string): Promise<void> {
  const { organizationId } = caller
  const open = await countRows(
    db
      .selectFrom('invitation')
      .where('organizationId', '=', organizationId)
      .where('email', '<>', email)
      .where('expiresAt', '>', now()),
  )
  if (open >= LIMITS.open_invitations) {
    throw limitExceeded(
      'open_invitations',
      `An organization has at most ${LIMITS.open_invitations.toLocaleString('en')} open invitations: withdraw some, or wait until they are accepted or expire.`,
    )
  }
  const members = await countRows(db.selectFrom('membership').where('organizationId', '=', organizationId))
  if (members + open < LIMITS.people) return
  throw limitExceeded(
    'people',
    `An organization has at most ${LIMITS.people.toLocaleString('en')} people, those who are invited included: remove some.`,
  )
}
