import { SegmentedControl, Skeleton, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ApiError } from '../../api/client.ts'
import { deliveriesQuery } from '../../api/webhook-deliveries.ts'
import type { Webhook } from '../../api/webhooks.ts'
import { Section } from '../../components/Section.tsx'
import { ErrorAlert } from '../../ui/ErrorAlert.tsx'
import { Outdated } from '../../ui/Outdated.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { DeliveryRow } from './DeliveryRow.tsx'
import { deliverySearch } from './delivery-search.ts'
import { DELIVERY_STATES } from './delivery-states.ts'

const ALL = 'ALL'
const CHOICES = [
  { value: ALL, label: 'All' },
  ...Object.entries(DELIVERY_STATES).map(([value, { words }]) => ({ value, label: words })),
]

/** The log of what was sent to a webhook, the newest first. The filter is in the address. */
export function Deliveries({ slug, webhook: { id, enabled } }: { slug: string; webhook: Webhook }) {
  const { state } = useSearch({ from: '/signed-in/$slug/settings/webhooks/$id' })
  const navigate = useNavigate({ from: '/$slug/settings/webhooks/$id' })
  const query = useInfiniteQuery(deliveriesQuery(slug, id, state))
  const { data, error, isPlaceholderData } = query
  const deliveries = data?.pages.flatMap((page) => page.data) ?? []
  return (
    <Section
      title="Deliveries"
      message="The newest first. Open one to see what was sent."
      action={
        <SegmentedControl
          size="xs"
          aria-label="Which deliveries"
          data={CHOICES}
          value={state ?? ALL}
          onChange={(state) => void navigate({ to: '.', search: deliverySearch({ state }), replace: true })}
        />
      }
    >
      {!data && error instanceof ApiError && <ErrorAlert error={error} />}
      {!data && !error && <Skeleton height={80} role="status" aria-busy="true" aria-label="Loading the deliveries" />}
      {data && (
        <Outdated is={isPlaceholderData} busy={isPlaceholderData}>
          {deliveries.length === 0 ? (
            <Text>
              {state ? `No ${DELIVERY_STATES[state].words.toLowerCase()} deliveries.` : 'Nothing was sent yet.'}
            </Text>
          ) : (
            <ul className="plain-list" aria-label="Deliveries">
              {deliveries.map((delivery) => (
                <DeliveryRow key={delivery.id} slug={slug} delivery={delivery} isHeld={!enabled} />
              ))}
            </ul>
          )}
        </Outdated>
      )}
      <ShowMore query={query}>Show older deliveries</ShowMore>
    </Section>
  )
}
