import type { Ctx, TransactionCtx } from '../caller/ctx.ts'
import type { Role } from '../db/tables.ts'
import type { Encryption } from '../lib/encryption.ts'
import { queueEncryptedMail } from '../mail/mail.ts'
import { causeOf, mayEmail, requireEmailShare } from './invitation-limits.ts'

interface Invited {
  email: string
  organization: string
  role: Role
  link: string
  token: string
  until: number
}

/** Queues the email with the link. Returns whether it did: not if the recipient got too many in the last hour. */
export async function sendInvitation(ctx: TransactionCtx, invited: Invited, encryption: Encryption): Promise<boolean> {
  const { db, caller, now } = ctx
  const causedById = await causeOf(ctx)
  await requireEmailShare(ctx, causedById)
  if (!(await mayEmail(ctx, invited.email))) return false
  const { organizationId } = caller
  const email = { ...emailFor(ctx, invited), organizationId, kind: 'INVITATION', causedById } as const
  await queueEncryptedMail(db, now(), email, encryption)
  return true
}

function emailFor({ caller }: Ctx, { email, organization, role, link, token, until }: Invited) {
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
      'If you did not expect this email, ignore it.',
    ].join('\n'),
    usefulUntil: until,
  }
}
