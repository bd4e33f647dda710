import { Button, SegmentedControl, Skeleton, Text } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { type Delivery, deliveriesQuery, isUnderWay, redeliverWebhook } from '../../api/webhook-deliveries.ts'
import type { Webhook } from '../../api/webhooks.ts'
import { Section } from '../../components/Section.tsx'
import { typeOf } from '../../components/webhook-events.ts'
import { CopyCode } from '../../ui/CopyCode.tsx'
import { ErrorAlert } from '../../ui/ErrorAlert.tsx'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { Outdated, ShowMore } from '../../ui/ShowMore.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { Time } from '../../ui/Time.tsx'
import styles from './Deliveries.module.css'
import { DELIVERY_STATES, deliverySearch } from './delivery-search.ts'

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
      {!data && !error && (
        <Skeleton height="var(--height-chart)" role="status" aria-busy="true" aria-label="Loading the deliveries" />
      )}
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

interface DeliveryRowProps {
  slug: string
  delivery: Delivery
  /** Whether nothing is sent for now: the webhook is disabled, or paused. */
  isHeld: boolean
}

/** One event on its way to a webhook: whether it arrived, and if not, why and when it is tried again. */
function DeliveryRow({ slug, delivery, isHeld }: DeliveryRowProps) {
  const { id, event, state, attempts, createdAt, error, lastAttemptAt, payload } = delivery
  return (
    <li className={styles['row']}>
      <details className={styles['delivery']}>
        <summary>
          <span className={styles['head']}>
            <StateDot {...DELIVERY_STATES[state]} />
            <span className={styles['event']}>{typeOf(event)}</span>
            <Text span size="sm" c="dimmed">
              <Time at={createdAt} />
            </Text>
          </span>
          <Text span display="block" size="sm" c="dimmed">
            <Attempts delivery={delivery} isHeld={isHeld} />
          </Text>
          {error && state !== 'DELIVERED' && (
            <Text span display="block" size="sm">
              {error}
            </Text>
          )}
        </summary>
        <dl className={styles['details']}>
          <dt>webhook-id</dt>
          <dd className="mono">{id}</dd>
          <dt>Last attempt</dt>
          <dd>
            <Time at={lastAttemptAt} never="None yet" />
          </dd>
        </dl>
        <CopyCode label="Payload" value={readablePayload(payload)} />
        {state !== 'FAILED' && attempts > 0 && <Redeliver slug={slug} delivery={delivery} />}
      </details>
      {state === 'FAILED' && <Redeliver slug={slug} delivery={delivery} />}
    </li>
  )
}

function Attempts({ delivery, isHeld }: Omit<DeliveryRowProps, 'slug'>) {
  const { state, attempts, responseStatus, nextAttemptAt } = delivery
  const count = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
  const answer = responseStatus === null ? 'No response' : `Status ${responseStatus}`
  const isSending = attempts > 0 && isUnderWay(delivery)
  return (
    <>
      {attempts === 0 ? 'Not sent yet' : isSending ? `Sending… · ${count}` : `${answer} · ${count}`}
      {state === 'PENDING' && isHeld && ' · waits until the webhook is enabled'}
      {state === 'PENDING' && !isHeld && attempts > 0 && !isSending && (
        <>
          {' '}
          · next attempt <Time at={nextAttemptAt} />
        </>
      )}
    </>
  )
}

interface RedeliverProps {
  slug: string
  delivery: Delivery
}

/** Sends an event once more, with the same id and payload; the log follows. Never disabled: it would lose the focus. */
function Redeliver({ slug, delivery: { id, event } }: RedeliverProps) {
  const queryClient = useQueryClient()
  const [pending, setPending] = useState(false)
  const redeliver = async () => {
    if (pending) return
    setPending(true)
    try {
      await redeliverWebhook(slug, id)
      notifyDone('The event is sent again.')
    } catch (error) {
      if (error instanceof Error) notifyError(error)
    } finally {
      await queryClient.invalidateQueries({ queryKey: ['webhooks', slug] })
      setPending(false)
    }
  }
  return (
    <Button
      size="compact-sm"
      variant="default"
      data-loading={pending || undefined}
      aria-disabled={pending}
      onClick={redeliver}
      aria-label={`Redeliver ${typeOf(event)}`}
    >
      Redeliver
    </Button>
  )
}

/** What was sent, indented; as it is where it cannot be. */
function readablePayload(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
