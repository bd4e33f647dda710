import { SimpleGrid, Text, Title } from '@mantine/core'
import { useId } from 'react'
import type { KeyOfPage, UsageCounts } from '../../api/api-key.ts'
import { Section } from '../../components/Section.tsx'
import { UsageHistory } from '../../ui/UsageHistory.tsx'
import { inWords } from '../../ui/usage-window.ts'
import styles from './RecentUsage.module.css'

const SHOWN = 8

/** Who is behind the calls of the last 24 hours: what stops when the key is revoked. */
export function RecentUsage({ use }: { use: KeyOfPage['recentUsage'] }) {
  const { calls, errors, addresses, userAgents, operations } = use
  return (
    <Section title="Last 24 hours">
      <Text>{inWords(calls, errors)}</Text>
      {addresses.length + userAgents.length + operations.length > 0 && (
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg" mt="md">
          <Counts title="IP addresses" counts={addresses} otherCalls={use.otherAddressCalls} />
          <Counts title="User agents" counts={userAgents} otherCalls={use.otherUserAgentCalls} />
          <Counts title="Operations" counts={operations} otherCalls={use.otherOperationCalls} />
        </SimpleGrid>
      )}
    </Section>
  )
}

function Counts({ title, counts, otherCalls }: { title: string; counts: UsageCounts; otherCalls: number }) {
  const id = useId()
  const more = counts.length - SHOWN
  return (
    <div>
      <Title order={3} size="sm" id={id}>
        {title}
      </Title>
      <ul className={styles['counts']} aria-labelledby={id}>
        {counts.slice(0, SHOWN).map(({ value, calls }) => (
          <Count key={value} value={value ?? 'unnamed'} calls={calls} />
        ))}
        {otherCalls > 0 && <Count value="others" calls={otherCalls} />}
      </ul>
      {more > 0 && (
        <Text size="sm" c="dimmed">
          and {more.toLocaleString()} more
        </Text>
      )}
    </div>
  )
}

const Count = ({ value, calls }: { value: string; calls: number }) => (
  <li>
    <span>{value}</span> <span className={styles['calls']}>{calls.toLocaleString()}</span>
  </li>
)

const DAYS = 90
const HOURS = 48

/** How often the key was used, by day and by hour. */
export function Usage({ apiKey: { days, hours } }: { apiKey: KeyOfPage }) {
  const now = Date.now()
  return (
    <Section title="Usage">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <UsageHistory title="By day" rows={days} window={{ unit: 'DAY', count: DAYS, now }} />
        <UsageHistory title="By hour" rows={hours} window={{ unit: 'HOUR', count: HOURS, now }} />
      </SimpleGrid>
    </Section>
  )
}
