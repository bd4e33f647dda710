import { originOf } from '../config.ts'
import type { WebhookDeliveryTable, WebhookTable } from '../db/webhook-tables.ts'
import type { Deps } from '../deps.ts'
import { webhookAttempts } from '../lib/counts.ts'
import { meansOf } from './means.ts'
import { recordOutcome } from './outcome.ts'
import type { Resolve } from './resolve.ts'
import { type SEND_TIMES, type Sent, send } from './send.ts'
import { signedHeaders } from './signature.ts'
import { signingSecrets } from './webhook-secret.ts'

interface Means {
  resolve: Resolve
  times: Partial<typeof SEND_TIMES>
}

/** Sends a delivery that this worker has claimed, and records what came of it. */
export function createAttempt({ database, now, config, log }: Deps, { resolve, times }: Means) {
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
    const { destinations, encryption } = meansOf(config)
    const at = now()
    let signature: Record<string, string>
    try {
      signature = signedHeaders({ id, at, body }, signingSecrets(encryption, webhook, at))
    } catch {
      return {
        status: null,
        error:
          'The secret of the webhook cannot be decrypted: PORTAL_SECRET has changed. Rotate the secret of the webhook.',
      }
    }
    const headers = { 'content-type': 'application/json', 'user-agent': 'edge-management-portal', ...signature }
    return send({ url: webhook.url, headers, body }, { destinations, resolve, times })
  }
}
