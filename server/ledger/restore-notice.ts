import { PORTAL } from '../api-keys/expiry/expiry.ts'
import { about, insertEvent } from '../audit/audit-event.ts'
import type { Transaction } from '../db/transaction.ts'
import { DAY } from '../lib/clock.ts'
import { WHY_ADMIN } from '../mail/admin-emails.ts'
import { type NewEmail, queueMail } from '../mail/mail.ts'

const USEFUL_FOR_MS = 7 * DAY

export interface Reconciled {
  keys: number
  memberships: number
  adminRoles: number
  passwords: number
  /** People have to sign in again, and their invitations and reset links no longer work. */
  sessions: number
  invitations: number
}

export interface Restored {
  now: number
  origin: string
  /** No key is accepted until the operator decides. */
  isHeld: boolean
}

/** Tells everybody who manages an organization that the database was restored, in the audit log and by email. */
export async function notifyRestored(
  db: Transaction,
  reconciled: Reconciled,
  { now, origin, isHeld }: Restored,
): Promise<void> {
  const organizations = await db
    .selectFrom('organization')
    .select(['id', 'name'])
    .where('kind', '=', 'ORGANIZATION')
    .orderBy('id')
    .execute()
  for (const { id: organizationId, name: subject } of organizations) {
    await insertEvent(db, now, {
      action: 'database.restored',
      ...about('ORGANIZATION', organizationId, subject),
      details: `ended again in the whole portal: ${inWords(reconciled)}${isHeld ? HELD : ''}`,
      actor: PORTAL,
      organizationId,
    })
  }
  const admins = await db
    .selectFrom('membership')
    .innerJoin('user', 'user.id', 'membership.userId')
    .innerJoin('organization', 'organization.id', 'membership.organizationId')
    .select('email')
    .distinct()
    .where('role', '=', 'ADMIN')
    .where('kind', '=', 'ORGANIZATION')
    .execute()
  const emails = admins.map(({ email }) => restoreEmail(email, { now, origin, isHeld }))
  await queueMail(db, now, emails)
}

const HELD = '; API keys are held until the operator of the portal decides which to accept'

const restoreEmail = (recipient: string, { now, origin, isHeld }: Restored): NewEmail => ({
  organizationId: null,
  kind: 'DATABASE_RESTORED',
  recipient,
  subject: 'The database of the Edge Management Portal was restored',
  text: [
    'The database of the portal was restored to an earlier state. What has been changed since then is lost.',
    '',
    '- Keys that were revoked in the meantime stay revoked.',
    '- Everybody is signed out, and open invitations and reset links no longer work.',
    '- Whoever changed their password in the meantime sets a new one by "Forgot password".',
    '- Keys that were generated in the meantime no longer exist.',
    ...(isHeld ? HELD_LINES : []),
    '',
    'Sign in and look at the devices, people and keys of your organization:',
    origin,
    '',
    WHY_ADMIN,
  ].join('\n'),
  usefulUntil: now + USEFUL_FOR_MS,
})

const HELD_LINES = [
  '',
  'API keys are held until the operator of the portal decides: revocations are missing from the restored database, so no API key is accepted now. You can sign in, look at your keys, and revoke those that should not be accepted again.',
]

export const inWords = ({ keys, memberships, adminRoles, passwords, sessions, invitations }: Reconciled) =>
  [
    `keys ${keys}`,
    `memberships ${memberships}`,
    `Admin roles ${adminRoles}`,
    `passwords ${passwords}`,
    `sessions ${sessions}`,
    `invitations ${invitations}`,
  ].join(', ')
