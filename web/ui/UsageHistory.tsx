import { Text, Title } from '@mantine/core'
import { useId } from 'react'
import { labelledIntervals, scaleUpTo } from './chart-scale.ts'
import { UsageBars } from './UsageBars.tsx'
import styles from './UsageHistory.module.css'
import { UsageTable } from './UsageTable.tsx'
import { type Interval, intervalsOf, shortTime, type UsageRow, type UsageWindow, usageInWords } from './usage-window.ts'
import { useChartCursor } from './use-chart-cursor.ts'

export interface UsageHistoryProps {
  title: string
  /** Only the intervals in which something happened; the empty ones are filled in. */
  rows: readonly UsageRow[]
  window: UsageWindow
}

const compact = new Intl.NumberFormat(undefined, { notation: 'compact' })

/**
 * Calls and refused calls over time, as a chart with a scale, whose intervals are read by pointer or arrow keys, and as
 * a table. A list of many keys has the small UsageChart instead.
 */
export default function UsageHistory({ title, rows, window }: UsageHistoryProps) {
  const id = useId()
  const words = usageInWords(rows, window)
  return (
    <section aria-labelledby={id}>
      <Title order={3} size="sm" id={id}>
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {words}
      </Text>
      <Chart title={title} words={words} window={window} intervals={intervalsOf(rows, window)} />
      <div className={styles['legend']} aria-hidden="true">
        <span className={styles['calls-key']}>Calls</span>
        <span className={styles['refused-key']}>Refused</span>
      </div>
      {rows.length > 0 && <UsageTable rows={rows} unit={window.unit} />}
    </section>
  )
}

interface ChartProps {
  title: string
  words: string
  window: UsageWindow
  intervals: Interval[]
}

function Chart({ title, words, window, intervals }: ChartProps) {
  const { index, cursor } = useChartCursor(intervals.length)
  const scale = scaleUpTo(Math.max(...intervals.map(({ calls, errors }) => calls + errors)))
  const top = scale.at(-1) ?? 1
  const shown = index === undefined ? undefined : intervals[index]
  const last = intervals.length - 1
  return (
    <div className={styles['chart']}>
      <div className={styles['scale']} aria-hidden="true">
        {scale.map((number) => (
          <span key={number} style={{ bottom: `${(number / top) * 100}%` }}>
            {compact.format(number)}
          </span>
        ))}
      </div>
      <div className={styles['plot']}>
        {scale.map((number) => (
          <span key={number} className={styles['line']} style={{ bottom: `${(number / top) * 100}%` }} />
        ))}
        <UsageBars intervals={intervals} top={top} label={words} />
        <div
          role="slider"
          tabIndex={0}
          aria-label={`${title}: arrow keys read one ${window.unit === 'DAY' ? 'day' : 'hour'} after the other`}
          aria-orientation="horizontal"
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={index ?? last}
          aria-valuetext={(shown ?? intervals[last])?.message}
          className={styles['cursor']}
          {...cursor}
        />
        {shown && <Tooltip interval={shown} at={((index ?? 0) + 0.5) / intervals.length} />}
      </div>
      <div className={styles['times']} aria-hidden="true">
        {labelledIntervals(intervals.length).map((each) => (
          <span key={each} style={{ insetInlineStart: `${((each + 0.5) / intervals.length) * 100}%` }}>
            {shortTime(intervals[each]?.at ?? '', window.unit)}
          </span>
        ))}
      </div>
    </div>
  )
}

/** Beside the interval, on the side where there is room. */
function Tooltip({ interval, at }: { interval: Interval; at: number }) {
  return (
    <>
      <span className={styles['marker']} style={{ insetInlineStart: `${at * 100}%` }} />
      <div
        className={styles['tooltip']}
        aria-hidden="true"
        style={at < 0.5 ? { insetInlineStart: `${at * 100}%` } : { insetInlineEnd: `${(1 - at) * 100}%` }}
      >
        {interval.message}
      </div>
    </>
  )
}
