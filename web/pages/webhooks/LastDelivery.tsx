import { Text } from '@mantine/core'
import type { ListedWebhook } from '../../api/webhooks.ts'
import { Time } from '../../ui/Time.tsx'
import { DELIVERY_STATES } from './delivery-states.ts'

/** What became of the newest event, and when. */
export function LastDelivery({ delivery }: { delivery: ListedWebhook['deliveries']['data'][number] | undefined }) {
  if (!delivery)
    return (
      <Text size="sm" c="dimmed">
        None yet
      </Text>
    )
  return (
    <Text size="sm" c="dimmed">
      {DELIVERY_STATES[delivery.state].words} <Time at={delivery.lastAttemptAt ?? delivery.createdAt} />
    </Text>
  )
}
