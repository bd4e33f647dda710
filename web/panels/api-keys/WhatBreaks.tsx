import { Skeleton, Text } from '@mantine/core'
import type { RecentUse } from '../../api/api-keys.ts'
import { inWords } from '../../ui/usage-window.ts'
import styles from './WhatBreaks.module.css'

const SHOWN = 5
/** As the API tells them: a program that gave no name, and all that there was no room for. */
const NAMELESS: Record<string, string> = { '': 'without a name', '…': 'others' }
const whole = new Intl.NumberFormat()

/** Who would notice that a key is gone: what it did in the last 24 hours. */
export function WhatBreaks({ recentUse, failed }: { recentUse: RecentUse | undefined; failed: boolean }) {
  if (!recentUse) return failed ? <NotKnown /> : <Loading />
  const { calls, errors, addresses, userAgents, operations } = recentUse
  return (
    <section aria-label="What will break">
      <Text fw={600} size="sm">
        {inWords(calls, errors, ' in the last 24 hours')}
      </Text>
      {calls > 0 && (
        <dl className={styles['seen']}>
          <Seen what="From" counts={addresses} />
          <Seen what="Programs" counts={userAgents} />
          <Seen what="Operations" counts={operations} />
        </dl>
      )}
    </section>
  )
}

function Seen({ what, counts }: { what: string; counts: RecentUse['addresses'] }) {
  if (counts.length === 0) return null
  return (
    <>
      <dt>{what}</dt>
      <dd>
        <ul>
          {counts.slice(0, SHOWN).map(({ name, calls }) => (
            <li key={name}>
              {whole.format(calls)} × {NAMELESS[name] ?? <span className="mono">{name}</span>}
            </li>
          ))}
          {counts.length > SHOWN && <li>and {counts.length - SHOWN} more</li>}
        </ul>
      </dd>
    </>
  )
}

const NotKnown = () => (
  <Text size="sm" c="dimmed" role="status">
    What it did in the last 24 hours could not be found out. It can be revoked all the same.
  </Text>
)

const Loading = () => (
  <div role="status" aria-busy="true" aria-label="Looking for what it did lately">
    <Skeleton height={20} width="60%" />
    <Skeleton height={20} mt="xs" />
  </div>
)
