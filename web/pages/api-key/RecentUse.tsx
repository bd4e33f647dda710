import { SimpleGrid, Text, Title } from '@mantine/core'
import { useId } from 'react'
import type { KeyOfPage, UseCounts } from '../../api/api-key.ts'
import { Section } from '../../components/Section.tsx'
import { inWords } from '../../ui/usage-window.ts'
import styles from './RecentUse.module.css'

const SHOWN = 8

/** Who is behind the calls of the last 24 hours: what stops when the key is revoked. */
export function RecentUse({ use }: { use: KeyOfPage['recentUse'] }) {
  const { calls, errors, addresses, userAgents, operations } = use
  return (
    <Section title="The last 24 hours">
      <Text>{inWords(calls, errors)}</Text>
      {addresses.length + userAgents.length + operations.length > 0 && (
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg" mt="md">
          <Counts title="Addresses" counts={addresses} />
          <Counts title="Programs" counts={userAgents} />
          <Counts title="Operations" counts={operations} />
        </SimpleGrid>
      )}
    </Section>
  )
}

function Counts({ title, counts }: { title: string; counts: UseCounts }) {
  const id = useId()
  const more = counts.length - SHOWN
  return (
    <div>
      <Title order={3} size="sm" id={id}>
        {title}
      </Title>
      <ul className={styles['counts']} aria-labelledby={id}>
        {counts.slice(0, SHOWN).map(({ name, calls }) => (
          <li key={name}>
            <span>{NAMES[name] ?? name}</span> <span className={styles['calls']}>{calls.toLocaleString()}</span>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Text size="sm" c="dimmed">
          and {more.toLocaleString()} more
        </Text>
      )}
    </div>
  )
}

/** What the portal has no name for: it was given none, or there was no room for it. */
const NAMES: Record<string, string> = { '': 'without a name', '…': 'others' }
