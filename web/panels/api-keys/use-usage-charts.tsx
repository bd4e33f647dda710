import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { usageQuery } from '../../api/api-keys.ts'
import { UsageChart } from '../../ui/UsageChart.tsx'
import { beginOf, type UsageWindow, usageInWords } from '../../ui/usage-window.ts'
import styles from './KeyRow.module.css'

const DAYS = 30

/** For each of these keys a chart of its last days; nothing until they are known. */
export function useUsageCharts(slug: string, ids: readonly string[]): (id: string) => ReactNode {
  const window: UsageWindow = { unit: 'DAY', count: DAYS, now: Date.now() }
  const { data: usage } = useQuery(usageQuery(slug, new Date(beginOf(window)).toISOString(), ids))
  return (id) => {
    const rows = usage?.get(id)
    if (!rows) return null
    return (
      <div className={styles['chart']} title={usageInWords(rows, window)}>
        <UsageChart rows={rows} window={window} width={90} height={24} />
      </div>
    )
  }
}
