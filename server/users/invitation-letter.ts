import type { Ctx } from '../ctx.ts'
import type { Role } from '../db/tables.ts'
import type { Seal } from '../lib/seal.ts'
import { queueSealedMail } from '../mail/mail.ts'
import { causeOf, mayEmail, requireEmailShare } from './invitation-email-limits.ts'

interface Invited {
  email: string
  organization: string
  role: Role
  link: string
  token: string
  until: number
}

/**
 * Sends the link to whoever is invited, inside the transaction that makes it. Gives whether it did: not to somebody who has
 * got enough of them in the last hour.
 */
export async function sendInvitation(ctx: Ctx, invited: Invited, seal: Seal): Promise<boolean> {
  const { db, caller, now } = ctx
  const causedById = await causeOf(ctx)
  await requireEmailShare(ctx, causedById)
  if (!(await mayEmail(ctx, invited.email))) return false
  const { organizationId } = caller
  const letter = { ...letterFor(ctx, invited), organizationId, kind: 'INVITATION', causedById } as const
  await queueSealedMail(db, now(), letter, seal)
  return true
}

function letterFor({ caller }: Ctx, { email, organization, role, link, token, until }: Invited) {
  const who = caller.kind === 'USER' ? `${caller.name} (${caller.email}) invites you` : 'You are invited'
  return {
    recipient: email,
    token,
    subject: `Invitation to ${organization}`,
    text: [
      `${who} to ${organization} in the Edge Management Portal, as ${role === 'ADMIN' ? 'an Admin' : 'a Member'}.`,
      '',
      'To accept, open this link within 72 hours; it works once:',
      '',
      link,
      '',
      'If you do not know what this is about, do nothing.',
    ].join('\n'),
    usefulUntil: until,
  }
}
