import { UsageChart } from '../../ui/UsageChart.tsx'
import { type UsageRow, type UsageWindow, usageInWords } from '../../ui/usage-window.ts'

interface KeyChartProps {
  rows: readonly UsageRow[]
  window: UsageWindow
}

/** The recent usage of one key, beside its label. */
export function KeyChart({ rows, window }: KeyChartProps) {
  return (
    <div title={usageInWords(rows, window)}>
      <UsageChart rows={rows} window={window} width={90} height={24} />
    </div>
  )
}
