import { SimpleGrid, Text, Title } from '@mantine/core'
import { useId } from 'react'
import type { KeyOfPage } from '../../api/api-key.ts'
import { Section } from '../../components/Section.tsx'
import { Table } from '../../ui/Table.tsx'
import { UsageChart } from '../../ui/UsageChart.tsx'
import { type UsageWindow, usageInWords } from '../../ui/usage-window.ts'
import styles from './Usage.module.css'

const DAYS = 90
const HOURS = 48
const CHART_SIZE = { width: 560, height: 120 }

type Rows = KeyOfPage['days']

/** How often the key was used, by day and by hour. */
export function Usage({ apiKey: { days, hours } }: { apiKey: KeyOfPage }) {
  const now = Date.now()
  return (
    <Section title="Usage">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Chart title="By day" rows={days} window={{ unit: 'DAY', count: DAYS, now }} />
        <Chart title="By hour" rows={hours} window={{ unit: 'HOUR', count: HOURS, now }} />
      </SimpleGrid>
    </Section>
  )
}

function Chart({ title, rows, window }: { title: string; rows: Rows; window: UsageWindow }) {
  const id = useId()
  const isDays = window.unit === 'DAY'
  return (
    <section aria-labelledby={id} className={styles['chart']}>
      <Title order={3} size="sm" id={id}>
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {usageInWords(rows, window)}
      </Text>
      <UsageChart rows={rows} window={window} {...CHART_SIZE} />
      <div className={styles['ends']} aria-hidden="true">
        <span>{isDays ? `${window.count} days ago` : `${window.count} hours ago`}</span>
        <span>{isDays ? 'today' : 'now'}</span>
      </div>
      {rows.length > 0 && <AsTable rows={rows} isDays={isDays} />}
    </section>
  )
}

/** The same in numbers, for those who cannot see a chart or want to know exactly. */
function AsTable({ rows, isDays }: { rows: Rows; isDays: boolean }) {
  return (
    <details className={styles['numbers']}>
      <summary>Show as table</summary>
      <Table>
        <thead>
          <tr>
            <th>{isDays ? 'Day (UTC)' : 'Hour'}</th>
            <th>Calls</th>
            <th>Refused</th>
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map(({ at, calls, errors }) => (
            <tr key={at}>
              <td>{(isDays ? DAY : HOUR).format(new Date(at))}</td>
              <td>{calls.toLocaleString()}</td>
              <td>{errors.toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </details>
  )
}

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const HOUR = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
