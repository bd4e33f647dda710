import { Skeleton, Text } from '@mantine/core'
import type { RecentUsage } from '../../../api/revoke-keys.ts'
import { inWords } from '../../../ui/usage-window.ts'
import styles from './RevokeImpact.module.css'

const SHOWN = 5
const whole = new Intl.NumberFormat()

/** Who would notice that a key is gone: what it did in the last 24 hours. */
export function RevokeImpact({ recentUsage, failed }: { recentUsage: RecentUsage | undefined; failed: boolean }) {
  if (!recentUsage) return failed ? <NotKnown /> : <Loading />
  const { calls, errors, addresses, userAgents, operations } = recentUsage
  return (
    <section aria-label="What will break">
      <Text fw={600} size="sm">
        {inWords(calls, errors, ' in the last 24 hours')}
      </Text>
      {calls > 0 && (
        <dl className={styles['seen']}>
          <Seen what="IP addresses" counts={addresses} otherCalls={recentUsage.otherAddressCalls} />
          <Seen what="User agents" counts={userAgents} otherCalls={recentUsage.otherUserAgentCalls} />
          <Seen what="Operations" counts={operations} otherCalls={recentUsage.otherOperationCalls} />
        </dl>
      )}
    </section>
  )
}

function Seen({ what, counts, otherCalls }: { what: string; counts: RecentUsage['addresses']; otherCalls: number }) {
  if (counts.length === 0) return null
  return (
    <>
      <dt>{what}</dt>
      <dd>
        <ul className="plain-list">
          {counts.slice(0, SHOWN).map(({ value, calls }) => (
            <li key={value}>
              {whole.format(calls)} × {value === null ? 'unnamed' : <span className="mono">{value}</span>}
            </li>
          ))}
          {otherCalls > 0 && <li>{whole.format(otherCalls)} × others</li>}
          {counts.length > SHOWN && <li>and {counts.length - SHOWN} more</li>}
        </ul>
      </dd>
    </>
  )
}

const NotKnown = () => (
  <Text size="sm" c="dimmed" role="status">
    Recent usage could not be loaded. You can still revoke the key.
  </Text>
)

const Loading = () => (
  <div role="status" aria-busy="true" aria-label="Loading recent usage">
    <Skeleton height="var(--space-5)" width="60%" />
    <Skeleton height="var(--space-5)" mt="xs" />
  </div>
)
