import type { ActorKind } from './audit-event-table.ts'

/** An address of an organization that is notified of changes. */
export interface WebhookTable {
  id: string
  organizationId: string
  url: string
  description: string | null
  /** The types of events as they are sent, as a JSON list: see audit/webhook-events/event-types.ts. */
  events: string
  enabled: 0 | 1
  /** Why the portal has paused it; null: it is not paused, or somebody has disabled it. */
  pausedReason: string | null
  /** Since when no delivery has succeeded; null: the last one has, or there was none yet. */
  failingSince: number | null
  /** Encrypted: it signs every delivery. */
  secret: string
  /** The one before, encrypted, which signs as well until then. */
  previousSecret: string | null
  previousSecretUntil: number | null
  createdAt: number
  createdByKind: ActorKind
  createdById: string | null
  createdByName: string
  updatedAt: number
}

/** What webhooks are to be notified of. Written in the transaction of the change, and deleted when it is fanned out. */
export interface WebhookEventTable {
  id: string
  organizationId: string
  type: string
  /** The body of the requests. */
  payload: string
  /** The webhooks that wanted it when it happened, with commas between them. */
  webhookIds: string
  createdAt: number
}

export type WebhookDeliveryState = 'PENDING' | 'DELIVERED' | 'FAILED'

/** An event on its way to one webhook, which may no longer exist. */
export interface WebhookDeliveryTable {
  id: string
  webhookId: string
  event: string
  /** The body of the request. */
  payload: string
  state: WebhookDeliveryState
  attempts: number
  createdAt: number
  /** From then on it is not tried again. */
  retryUntil: number
  /** When it is due; while an attempt is in progress, when another process may take it over. */
  nextAttemptAt: number
  lastAttemptAt: number | null
  responseStatus: number | null
  error: string | null
}

/** One row for an organization that has or had a webhook. */
export interface WebhookProgressTable {
  organizationId: string
  /** The last version that an event was given. */
  version: number
  /** The last check-in, by its time and device, of which it is known whether the device went offline. */
  offlineSeenAt: number
  offlineDeviceId: string
}
