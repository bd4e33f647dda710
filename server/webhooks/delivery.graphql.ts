import { EVENT_TYPES, eventTypeName } from '../audit/webhook-events/event-types.ts'
import { ADMIN_ONLY } from '../caller/key-rules.ts'
import type { WebhookDeliveryState, WebhookDeliveryTable } from '../db/webhook-tables.ts'
import { builder } from '../graphql/builder.ts'
import { describedEnum } from '../graphql/described-enum.ts'
import { plainFields } from '../graphql/plain-fields.ts'
import { redeliverWebhook, testWebhook } from './deliveries.ts'

export const WebhookEventTypeType = describedEnum(
  'WebhookEventType',
  'What a webhook can be notified of. In a delivery the same is written as `device.created`. A later version of the portal may add values.',
  Object.fromEntries(Object.entries(EVENT_TYPES).map(([type, description]) => [eventTypeName(type), description])),
)

export const WebhookDeliveryStateType = describedEnum<WebhookDeliveryState>(
  'WebhookDeliveryState',
  'How far a delivery has come.',
  {
    PENDING: 'It waits for its first attempt, or for the next one.',
    DELIVERED: 'The receiver has answered with a status of 200 to 299.',
    FAILED: 'No attempt has succeeded for three days, or the receiver is gone for good.',
  },
)

export const WebhookDeliveryType = builder.objectRef<WebhookDeliveryTable>('WebhookDelivery').implement({
  access: ['READ_ONLY'],
  description: 'An event that was or will be sent to a webhook. It is stored for 30 days.',
  fields: (t) => ({
    ...plainFields(t, {
      'id: ID!': 'Sent as `webhook-id`. It stays the same for every attempt, so that a receiver can ignore duplicates.',
      'attempts: Int!': 'How often it was sent, or tried to be.',
      'lastAttemptAt: DateTime': 'When it was last tried. Null: not yet.',
      'responseStatus: Int': 'The HTTP status of the last answer. Null: there was none.',
      'error: String': 'Why the last attempt has failed. Null: it has not.',
      'createdAt: DateTime!': 'When the event was recorded.',
      'payload: String!': 'The body of the request, as JSON. It holds no secret.',
    }),
    event: t.field({
      type: WebhookEventTypeType,
      description: 'What it is about.',
      resolve: ({ event }) => eventTypeName(event),
    }),
    state: t.expose('state', { type: WebhookDeliveryStateType, description: 'How far it has come.' }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it is tried next, at the earliest. Null: it is not tried again.',
      resolve: ({ state, nextAttemptAt }) => (state === 'PENDING' ? nextAttemptAt : null),
    }),
  }),
})

builder.mutationFields((t) => ({
  testWebhook: t.field({
    access: ADMIN_ONLY,
    effect: 'WRITES',
    type: WebhookDeliveryType,
    description:
      'Sends an event of the type `test` to a webhook, also to one that is paused, and returns its delivery. It is tried once, within seconds. For an Admin.',
    args: { id: t.arg.id({ required: true, description: 'The `id` of the webhook.' }) },
    resolve: (_root, { id }, ctx) => testWebhook(ctx, id),
  }),
  redeliverWebhook: t.field({
    access: ADMIN_ONLY,
    effect: 'WRITES',
    type: WebhookDeliveryType,
    description:
      'Sends a delivery again, with the same id and body: within seconds, and if that fails for three days more. A `CONFLICT` while the webhook is not enabled. For an Admin.',
    args: { deliveryId: t.arg.id({ required: true, description: 'The `id` of the delivery.' }) },
    resolve: (_root, { deliveryId }, ctx) => redeliverWebhook(ctx, deliveryId),
  }),
}))
