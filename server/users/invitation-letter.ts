import type { Ctx } from '../ctx.ts'
import type { Role } from '../db/tables.ts'
import { HOUR } from '../lib/clock.ts'
import { firstIdAt } from '../lib/id.ts'
import type { Seal } from '../lib/seal.ts'
import { queueSealedMail } from '../mail/mail.ts'

/** So that nobody can have the portal write to the whole world. */
const LETTERS_AN_HOUR = 50
const LETTERS_AN_HOUR_TO_ONE = 3

interface Invited {
  email: string
  organization: string
  role: Role
  link: string
  token: string
  until: number
}

/** Sends the link to whoever is invited, inside the transaction that makes it; beyond a number in an hour it does not. */
export async function sendInvitation(ctx: Ctx, invited: Invited, seal: Seal): Promise<void> {
  const { db, caller, now } = ctx
  if (!(await mayWrite(ctx, invited.email))) return
  const { organizationId } = caller
  await queueSealedMail(db, now(), { ...letterFor(ctx, invited), organizationId, kind: 'INVITATION' }, seal)
}

async function mayWrite({ db, caller, now }: Ctx, email: string): Promise<boolean> {
  const written = await db
    .selectFrom('mail')
    .select('recipient')
    .where('organizationId', '=', caller.organizationId)
    .where('id', '>=', firstIdAt(now() - HOUR))
    .where('kind', '=', 'INVITATION')
    .limit(LETTERS_AN_HOUR)
    .execute()
  const toThem = written.filter(({ recipient }) => recipient === email)
  return written.length < LETTERS_AN_HOUR && toThem.length < LETTERS_AN_HOUR_TO_ONE
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
