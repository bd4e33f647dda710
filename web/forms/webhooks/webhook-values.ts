import type { Webhook, WebhookChanges, WebhookEvent } from '../../api/webhooks.ts'
import { ALL_EVENTS } from '../../components/webhook-events.ts'
import { textOf } from '../../ui/Form.tsx'

/** What is asked for first: all events, or only those that are checked. */
export const ALL = 'all'
export const SOME = 'some'

/** A webhook as the form has it. */
export function webhookValues(values: FormData) {
  const chosen = values.getAll('events')
  return {
    url: textOf(values, 'url') ?? '',
    description: textOf(values, 'description') ?? null,
    events: ALL_EVENTS.filter((event) => values.get('which') === ALL || chosen.includes(event)) as WebhookEvent[],
  }
}

/** Only what differs from the webhook that was opened. */
export function changesOf(before: Webhook, after: ReturnType<typeof webhookValues>): WebhookChanges {
  const hasSameEvents =
    before.events.length === after.events.length && after.events.every((event) => before.events.includes(event))
  return {
    ...(after.url !== before.url && { url: after.url }),
    ...(after.description !== before.description && { description: after.description }),
    ...(!hasSameEvents && { events: after.events }),
  }
}
