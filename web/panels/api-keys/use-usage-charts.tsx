import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { usageQuery } from '../../api/api-keys.ts'
import { UsageChart } from '../../ui/UsageChart.tsx'
import { beginOf, type UsageWindow, usageInWords } from '../../ui/usage-window.ts'
import styles from './KeyList.module.css'

/** For each key a chart of its last 30 days; nothing until they are known. A key that came since then has done nothing yet. */
export function useUsageCharts(slug: string): (id: string) => ReactNode {
  const window: UsageWindow = { unit: 'DAY', count: 30, now: Date.now() }
  const { data: usage } = useQuery(usageQuery(slug, new Date(beginOf(window)).toISOString()))
  if (!usage) return () => null
  return (id) => {
    const rows = usage.get(id) ?? []
    return (
      <div className={styles['chart']}>
        <UsageChart rows={rows} window={window} />
        <Text size="xs" c="dimmed" aria-hidden="true">
          {usageInWords(rows, window)}
        </Text>
      </div>
    )
  }
}
