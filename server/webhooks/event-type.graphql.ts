import { EVENT_TYPES, eventTypeName } from '../audit/webhook-events/event-types.ts'
import { builder } from '../graphql/builder.ts'

export const WebhookEventTypeType = builder.enumType('WebhookEventType', {
  description:
    'What a webhook can be notified of. In a delivery the same is written as `device.created`. A later version of the portal may add values.',
  values: Object.fromEntries(
    Object.entries(EVENT_TYPES).map(([type, description]) => [eventTypeName(type), { description }] as const),
  ),
})
