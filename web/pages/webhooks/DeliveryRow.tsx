import { Text } from '@mantine/core'
import { type Delivery, isUnderWay } from '../../api/webhook-deliveries.ts'
import { typeOf } from '../../components/webhook-events.ts'
import { StateDot } from '../../ui/StateDot.tsx'
import { Time } from '../../ui/Time.tsx'
import { CopyCode } from './CopyCode.tsx'
import styles from './DeliveryRow.module.css'
import { DELIVERY_STATES } from './delivery-states.ts'
import { Redeliver } from './Redeliver.tsx'
import { readablePayload } from './readable-payload.ts'

interface DeliveryRowProps {
  slug: string
  delivery: Delivery
  /** Whether nothing is sent for now: the webhook is disabled, or paused. */
  isHeld: boolean
}

/** One event on its way to a webhook: whether it arrived, and if not, why and when it is tried again. */
export function DeliveryRow({ slug, delivery, isHeld }: DeliveryRowProps) {
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
      {attempts === 0 ? 'Not sent yet' : isSending ? `Sending … · ${count}` : `${answer} · ${count}`}
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
