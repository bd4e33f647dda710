import { Text, Title } from '@mantine/core'
import { useId } from 'react'
import { UsageChart, type UsageChartProps } from '../../ui/UsageChart.tsx'
import { type UsageWindow, usageInWords } from '../../ui/usage-window.ts'
import styles from './overview.module.css'

const DAYS = 30

/** The calls of all keys together, day by day. */
export function CallsByDay({ days }: { days: UsageChartProps['rows'] }) {
  const id = useId()
  const window: UsageWindow = { unit: 'DAY', count: DAYS, now: Date.now() }
  return (
    <section aria-labelledby={id} className={styles['chart']}>
      <Title order={3} size="sm" id={id}>
        Calls by day
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {usageInWords(days, window)}
      </Text>
      <UsageChart rows={days} window={window} width={720} height={160} />
    </section>
  )
}
