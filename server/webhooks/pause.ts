import { PORTAL } from '../api-keys/expiry/expiry.ts'
import { insertEvent } from '../audit/audit-event.ts'
import type { Db } from '../db/tables.ts'
import { DAY } from '../lib/clock.ts'
import { type NewEmail, queueRepeatedMail } from '../mail/mail.ts'
import { COLUMNS, type Webhook, webhookSubject } from './webhook.ts'

const EMAIL_USEFUL_MS = 7 * DAY

interface Pause {
  id: string
  reason: string
  /** Only if it has failed since before this. */
  failingBefore?: number
  /** The public URL of the portal. */
  origin: string
}

/** Pauses a webhook that cannot be reached, and tells the Admins once: in the audit log, and by email. */
export async function pauseWebhook(db: Db, now: number, { id, reason, failingBefore, origin }: Pause): Promise<void> {
  let enabled = db.updateTable('webhook').where('id', '=', id).where('enabled', '=', 1)
  if (failingBefore !== undefined) enabled = enabled.where('failingSince', '<=', failingBefore)
  const webhook = await enabled
    .set({ enabled: 0, pausedReason: reason, updatedAt: now })
    .returning(COLUMNS)
    .executeTakeFirst()
  if (!webhook) return
  const { organizationId } = webhook
  const { details, ...subject } = webhookSubject(webhook)
  await insertEvent(db, now, {
    action: 'webhook.paused',
    ...subject,
    details: `${reason} ${details}`,
    actor: PORTAL,
    organizationId,
  })
  await queueRepeatedMail(db, now, await emailsAbout(db, now, webhook, { reason, origin }))
}

/** One email to each Admin. Without the path of the URL, which may contain a token. */
async function emailsAbout(
  db: Db,
  now: number,
  webhook: Webhook,
  { reason, origin }: { reason: string; origin: string },
): Promise<NewEmail[]> {
  const admins = await db
    .selectFrom('membership')
    .innerJoin('user', 'user.id', 'membership.userId')
    .innerJoin('organization', 'organization.id', 'membership.organizationId')
    .select(['organization.name as organization', 'slug', 'email'])
    .where('organizationId', '=', webhook.organizationId)
    .where('role', '=', 'ADMIN')
    .execute()
  const name = webhookSubject(webhook).subject
  return admins.map(({ organization, slug, email }) => ({
    organizationId: webhook.organizationId,
    kind: 'WEBHOOK_PAUSED',
    recipient: email,
    subject: `The webhook ${name} of ${organization} is paused`,
    text: [
      `The webhook ${name} of ${organization} to ${new URL(webhook.url).origin} is paused:`,
      reason,
      '',
      'It is notified of nothing until it is enabled again, and what happens meanwhile is not sent later.',
      `${origin}/${slug}/settings/webhooks/${webhook.id}`,
      '',
      'You receive this email because you are an Admin.',
    ].join('\n'),
    usefulUntil: now + EMAIL_USEFUL_MS,
  }))
}
