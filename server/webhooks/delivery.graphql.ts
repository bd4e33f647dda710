import { eventTypeName } from '../audit/webhook-events/event-types.ts'
import type { WebhookDeliveryState, WebhookDeliveryTable } from '../db/webhook-tables.ts'
import { builder } from '../graphql/builder.ts'
import { redeliverWebhook, testWebhook } from './deliveries.ts'
import { WebhookEventTypeType } from './event-type.graphql.ts'

export const WebhookDeliveryStateType = builder.enumType('WebhookDeliveryState', {
  description: 'How far a delivery has come.',
  values: {
    PENDING: { description: 'It waits for its first attempt, or for the next one.' },
    DELIVERED: { description: 'The receiver has answered with a status of 200 to 299.' },
    FAILED: { description: 'No attempt has succeeded for three days, or the receiver is gone for good.' },
  } satisfies Record<WebhookDeliveryState, object>,
})

export const WebhookDeliveryType = builder.objectRef<WebhookDeliveryTable>('WebhookDelivery').implement({
  description: 'An event that was or will be sent to a webhook. It is stored for 30 days.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description:
        'Sent as `webhook-id`. It stays the same for every attempt, so that a receiver can ignore duplicates.',
    }),
    event: t.field({
      type: WebhookEventTypeType,
      description: 'What it is about.',
      resolve: ({ event }) => eventTypeName(event),
    }),
    state: t.expose('state', { type: WebhookDeliveryStateType, description: 'How far it has come.' }),
    attempts: t.exposeInt('attempts', { description: 'How often it was sent, or tried to be.' }),
    lastAttemptAt: t.expose('lastAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last tried. Null: not yet.',
    }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it is tried next, at the earliest. Null: it is not tried again.',
      resolve: ({ state, nextAttemptAt }) => (state === 'PENDING' ? nextAttemptAt : null),
    }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: 'The HTTP status of the last answer. Null: there was none.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why the last attempt has failed. Null: it has not.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the event was recorded.' }),
    payload: t.exposeString('payload', { description: 'The body of the request, as JSON. It holds no secret.' }),
  }),
})

builder.mutationField('testWebhook', (t) =>
  t.field({
    type: WebhookDeliveryType,
    description:
      'Sends an event of the type `test` to a webhook, also to one that is paused, and returns its delivery. It is tried once, within seconds. For an Admin.',
    args: { id: t.arg.id({ required: true, description: 'The `id` of the webhook.' }) },
    resolve: (_root, { id }, ctx) => testWebhook(ctx, id),
  }),
)

builder.mutationField('redeliverWebhook', (t) =>
  t.field({
    type: WebhookDeliveryType,
    description:
      'Sends a delivery again, with the same id and body: within seconds, and if that fails for three days more. A `CONFLICT` while the webhook is not enabled. For an Admin.',
    args: { deliveryId: t.arg.id({ required: true, description: 'The `id` of the delivery.' }) },
    resolve: (_root, { deliveryId }, ctx) => redeliverWebhook(ctx, deliveryId),
  }),
)
