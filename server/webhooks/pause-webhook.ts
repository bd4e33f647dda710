import { PORTAL } from '../api-keys/expiry/expiry.ts'
import { insertEvent } from '../audit/audit-event.ts'
import type { Transaction } from '../db/transaction.ts'
import { DAY } from '../lib/clock.ts'
import { emailsToAdmins } from '../mail/admin-emails.ts'
import { queueRepeatedMail } from '../mail/mail.ts'
import { webLinks } from '../mail/web-links.ts'
import { COLUMNS, webhookSubject } from './webhook.ts'

const EMAIL_USEFUL_MS = 7 * DAY

interface Pause {
  id: string
  reason: string
  /** Only if it has failed since before this. */
  failingBefore?: number
  origin: string
}

/** Pauses a webhook that cannot be reached, and tells the Admins once: in the audit log, and by email. */
export async function pauseWebhook(
  db: Transaction,
  now: number,
  { id, reason, failingBefore, origin }: Pause,
): Promise<void> {
  let enabled = db.updateTable('webhook').where('id', '=', id).where('enabled', '=', 1)
  if (failingBefore !== undefined) enabled = enabled.where('failingSince', '<=', failingBefore)
  const webhook = await enabled
    .set({ enabled: 0, pausedReason: reason, updatedAt: now })
    .returning(COLUMNS)
    .executeTakeFirst()
  if (!webhook) return
  const { organizationId } = webhook
  const { details, ...subject } = webhookSubject(webhook)
  const event = { action: 'webhook.paused', ...subject, details: `${reason} ${details}` } as const
  await insertEvent(db, now, { ...event, actor: PORTAL, organizationId })
  const { subject: name } = subject
  const emails = await emailsToAdmins(db, organizationId, origin, (organization) => ({
    kind: 'WEBHOOK_PAUSED',
    subject: `The webhook ${name} of ${organization.name} is paused`,
    lines: [
      // Without the path of the URL, which may contain a token.
      `The webhook ${name} of ${organization.name} to ${new URL(webhook.url).origin} is paused:`,
      reason,
      '',
      'It is notified of nothing until it is enabled again, and what happens meanwhile is not sent later.',
      webLinks.webhook(origin, organization.slug, id),
    ],
    usefulUntil: now + EMAIL_USEFUL_MS,
  }))
  await queueRepeatedMail(db, now, emails)
}
