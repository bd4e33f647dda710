import type { WebhookConfig } from '../config.ts'
import { createDestinations } from './destinations.ts'
import type { WebhookMeans } from './webhook.ts'
import { webhookEncryptionOf } from './webhook-secret.ts'

const means = new WeakMap<WebhookConfig, WebhookMeans>()

/** What webhooks need of the settings; created when the first one is, since it may create the portal's secret. */
export function meansOf(config: WebhookConfig): WebhookMeans {
  const known = means.get(config)
  if (known) return known
  const created = { destinations: createDestinations(config), encryption: webhookEncryptionOf(config) }
  means.set(config, created)
  return created
}
