import { recordEvent } from '../audit/audit-event.ts'
import { type Ctx, inTransaction, requireAdmin } from '../ctx.ts'
import { AppError } from '../lib/app-error.ts'
import { badInput } from '../lib/check.ts'
import { DAY, SECOND } from '../lib/clock.ts'
import { newWebhookSecret } from './signature.ts'
import {
  COLUMNS,
  type CreatedWebhook,
  lockWebhook,
  type WebhookMeans,
  webhookSubject,
  webhookUpdate,
} from './webhook.ts'

export const MAX_OVERLAP_SECONDS = (7 * DAY) / SECOND
export const DEFAULT_OVERLAP_SECONDS = DAY / SECOND

/** Gives a webhook a new secret. Until the overlap ends the old one signs as well: a receiver may know either. */
export function rotateWebhookSecret(
  outer: Ctx,
  id: string,
  overlapSeconds: number,
  { encryption }: Pick<WebhookMeans, 'encryption'>,
): Promise<CreatedWebhook> {
  requireAdmin(outer.caller)
  if (!(overlapSeconds >= 0 && overlapSeconds <= MAX_OVERLAP_SECONDS))
    throw badInput('overlapSeconds', `overlapSeconds: 0 to ${MAX_OVERLAP_SECONDS}.`)
  return inTransaction(outer, async (ctx) => {
    await lockWebhook(ctx, id)
    const now = ctx.now()
    const secret = newWebhookSecret()
    const until = overlapSeconds === 0 ? null : now + overlapSeconds * SECOND
    const webhook = await webhookUpdate(ctx, id)
      .set((eb) => ({
        previousSecret: until === null ? null : eb.ref('secret'),
        previousSecretUntil: until,
        secret: encryption.encrypt(secret, id),
        updatedAt: now,
      }))
      .returning(COLUMNS)
      .executeTakeFirst()
    if (!webhook) throw new AppError('NOT_FOUND')
    const overlap = until === null ? 'at once' : `the old one signs as well until ${new Date(until).toISOString()}`
    const { details, ...subject } = webhookSubject(webhook)
    await recordEvent(ctx, { action: 'webhook.secret_rotated', ...subject, details: `${overlap}; ${details}` })
    return { webhook, secret }
  })
}
