import { RETRY_MS } from '../audit/webhook-events/queue-events.ts'
import type { Deps } from '../caller/deps.ts'
import { webhookAttempts } from '../config/counts.ts'
import { originOf } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Transaction } from '../db/transaction.ts'
import type { WebhookDeliveryTable, WebhookTable } from '../db/webhook-tables.ts'
import { HOUR, MINUTE, SECOND } from '../lib/clock.ts'
import type { Encryption } from '../lib/encryption.ts'
import { upTo } from '../lib/random.ts'
import { createDestinations, type Destinations } from './destinations.ts'
import { pauseWebhook } from './pause-webhook.ts'
import type { Resolve } from './resolve.ts'
import { type SEND_TIMES, type Sent, send } from './send.ts'
import { signedHeaders, signingSecrets, webhookEncryptionOf } from './webhook-secret.ts'

interface Dependencies {
  resolve: Resolve
  times: Partial<typeof SEND_TIMES>
}

/** Sends a delivery that this worker has claimed, and records what came of it. */
export function createAttempt({ database, now, config, log }: Deps, { resolve, times }: Dependencies) {
  let known: { destinations: Destinations; encryption: Encryption } | undefined
  return async (delivery: WebhookDeliveryTable): Promise<void> => {
    const webhook = await database.read
      .selectFrom('webhook')
      .selectAll()
      .where('id', '=', delivery.webhookId)
      .executeTakeFirst()
    if (!webhook) return // deleted meanwhile: its deliveries are too
    const sent = await sendTo(webhook, delivery)
    const { organizationId } = webhook
    const outcome = { organizationId, delivery, sent, now: now(), origin: originOf(config) }
    const result = await recordOutcome(database, outcome)
    webhookAttempts.add(result)
    const { id, attempts } = delivery
    if (result !== 'delivered')
      log.info({ delivery: id, attempts, result, status: sent.status }, 'a delivery to a webhook failed')
  }

  async function sendTo(webhook: WebhookTable, { id, payload: body }: WebhookDeliveryTable): Promise<Sent> {
    known ??= { destinations: createDestinations(config), encryption: webhookEncryptionOf(config) }
    const { destinations, encryption } = known
    const at = now()
    let signature: Record<string, string>
    try {
      signature = signedHeaders({ id, at, body }, signingSecrets(encryption, webhook, at))
    } catch {
      return { status: null, error: UNDECRYPTABLE }
    }
    const headers = { 'content-type': 'application/json', 'user-agent': 'edge-management-portal', ...signature }
    return send({ url: webhook.url, headers, body }, { destinations, resolve, times })
  }
}

const UNDECRYPTABLE =
  'The secret of the webhook cannot be decrypted: PORTAL_SECRET has changed. Rotate the secret of the webhook.'

/** Pauses after the first failed attempt, the second and so on; the last one repeats. */
const PAUSES_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR]
/** Each pause is longer or shorter by up to this part, so that what failed together is not repeated together. */
const JITTER = 0.2
const MAX_RETRY_AFTER_MS = 6 * HOUR
const GONE = 410
/** A webhook has failed for as long as a delivery is tried, but for the time that its first attempt took. */
const FAILED_FOR_MS = RETRY_MS - HOUR

interface Outcome {
  delivery: WebhookDeliveryTable
  sent: Sent
  now: number
  origin: string
}

export type Result = 'delivered' | 'retried' | 'failed'

/** Records what came of an attempt, unless another worker has taken the delivery over meanwhile. */
async function recordOutcome(
  database: Database,
  { organizationId, ...outcome }: Outcome & { organizationId: string },
): Promise<Result> {
  const { delivery, sent, now, origin } = outcome
  const result = resultOf(delivery, sent, now)
  const work = async (db: Transaction) => {
    const { status: responseStatus, error } = sent
    const recorded = await db
      .updateTable('webhookDelivery')
      .set({ ...stateAfter(result, delivery, sent, now), responseStatus, error })
      .where('id', '=', delivery.id)
      .where('state', '=', 'PENDING')
      .where('attempts', '=', delivery.attempts)
      .returning('id')
      .executeTakeFirst()
    if (recorded && delivery.event !== 'test') await noteHealth(db, { delivery, sent, now, result, origin })
  }
  await database.transaction(work, { organizationId })
  return result
}

function resultOf({ retryUntil }: WebhookDeliveryTable, { status, error }: Sent, now: number): Result {
  if (error === null) return 'delivered'
  return status === GONE || now >= retryUntil ? 'failed' : 'retried'
}

function stateAfter(result: Result, delivery: WebhookDeliveryTable, sent: Sent, now: number) {
  if (result === 'delivered') return { state: 'DELIVERED' } as const
  if (result === 'failed') return { state: 'FAILED' } as const
  return { nextAttemptAt: Math.min(now + pauseMs(delivery.attempts, sent, now), delivery.retryUntil) }
}

/** How long to wait before the next attempt: as the receiver asks within bounds, or longer each time. */
export function pauseMs(attempts: number, { retryAfter }: Pick<Sent, 'retryAfter'>, now: number): number {
  const requestedMs = retryAfter === undefined ? undefined : msOf(retryAfter, now)
  if (requestedMs !== undefined) return Math.min(Math.max(requestedMs, SECOND), MAX_RETRY_AFTER_MS)
  const pause = PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1] ?? 0
  return Math.round(pause * (1 - JITTER) + upTo(2 * pause * JITTER))
}

/** The value of a `Retry-After` header: seconds or a date; undefined: it is neither. */
function msOf(retryAfter: string, now: number): number | undefined {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * SECOND
  const ms = / GMT$/.test(retryAfter) ? Date.parse(retryAfter) - now : Number.NaN
  return Number.isFinite(ms) ? ms : undefined
}

interface Noted extends Outcome {
  result: Result
}

/** Since when the webhook fails; one that has failed for three days, or is gone, is paused. */
async function noteHealth(db: Transaction, { delivery, sent, now, result, origin }: Noted): Promise<void> {
  const webhook = db.updateTable('webhook').where('id', '=', delivery.webhookId)
  if (result === 'delivered') {
    await webhook.set({ failingSince: null }).where('failingSince', 'is not', null).execute()
    return
  }
  await webhook.set({ failingSince: now }).where('failingSince', 'is', null).execute()
  if (sent.status === GONE) {
    const reason = 'The receiver answered that it is gone (410).'
    await pauseWebhook(db, now, { id: delivery.webhookId, reason, origin })
  } else if (result === 'failed') {
    const reason = `No delivery has succeeded for three days. The last attempt: ${sent.error}`
    await pauseWebhook(db, now, { id: delivery.webhookId, reason, failingBefore: now - FAILED_FOR_MS, origin })
  }
}
