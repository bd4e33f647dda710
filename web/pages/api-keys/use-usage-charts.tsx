import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { usageQuery } from '../../api/api-keys.ts'
import { UsageChart } from '../../ui/UsageChart.tsx'
import { type UsageRow, type UsageWindow, usageInWords } from '../../ui/usage-window.ts'
import styles from './KeyRow.module.css'

const DAYS = 30
const DAY_MS = 86_400_000

/** For each of these keys a chart of its last days. Its place is there from the beginning: no row grows afterwards. */
export function useUsageCharts(slug: string, ids: readonly string[]): (id: string) => ReactNode {
  const window: UsageWindow = { unit: 'DAY', count: DAYS, now: Date.now() }
  const since = (Math.floor(window.now / DAY_MS) - DAYS + 1) * DAY_MS
  const { data: usage } = useQuery(usageQuery(slug, new Date(since).toISOString(), ids))
  return (id) => {
    const rows = usage?.get(id)
    return <div className={styles['chart']}>{rows && <KeyChart rows={rows} window={window} />}</div>
  }
}

interface KeyChartProps {
  rows: readonly UsageRow[]
  window: UsageWindow
}

/** The recent usage of one key, beside its label. */
function KeyChart({ rows, window }: KeyChartProps) {
  return (
    <div title={usageInWords(rows, window)}>
      <UsageChart rows={rows} window={window} width={90} height={24} />
    </div>
  )
}
