import { Text, Title } from '@mantine/core'
import { useId } from 'react'
import { labelledIntervals, scaleUpTo } from './chart-scale.ts'
import { Table } from './Table.tsx'
import styles from './UsageHistory.module.css'
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
 * Calls and refused calls over time, or check-ins, as a chart with a scale, whose intervals are read by pointer or arrow
 * keys, and as a table. A list of many keys has the small UsageChart instead.
 */
export function UsageHistory({ title, rows, window }: UsageHistoryProps) {
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
      {window.counted !== 'check-in' && (
        <div className={styles['legend']} aria-hidden="true">
          <span className={styles['calls-key']}>Calls</span>
          <span className={styles['refused-key']}>Refused</span>
        </div>
      )}
      {rows.length > 0 && <UsageTable rows={rows} window={window} />}
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

/** Drawn in these units and stretched to the room that there is. */
const BAR = 10
const GAP = 2
const HEIGHT = 100
const LEAST = 1.5

interface UsageBarsProps {
  intervals: readonly Interval[]
  /** What the whole height stands for. */
  top: number
  label: string
}

/** Calls, and on top of them refused calls, which are hatched, so that they differ without colours too. */
function UsageBars({ intervals, top, label }: UsageBarsProps) {
  const hatch = useId()
  const width = intervals.length * BAR
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(LEAST, (count / top) * HEIGHT))
  const bar = (index: number, from: number, height: number) =>
    height === 0 ? '' : `M${index * BAR + GAP / 2} ${HEIGHT - from}v${-height}h${BAR - GAP}v${height}z`
  const paths = intervals.map(({ calls, errors }, index) => ({
    calls: bar(index, 0, heightOf(calls)),
    refused: bar(index, heightOf(calls), heightOf(errors)),
  }))
  return (
    <svg
      role="img"
      aria-label={label}
      className={styles['bars']}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      <pattern id={hatch} width="3" height="3" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="2" height="3" className={styles['refused']} />
      </pattern>
      <path d={paths.map(({ calls }) => calls).join('')} className={styles['calls']} />
      <path d={paths.map(({ refused }) => refused).join('')} fill={`url(#${hatch})`} />
    </svg>
  )
}

const SHOWN = {
  DAY: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }),
  HOUR: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
}

/** The calls in numbers, for those who cannot see a chart or want to know exactly. */
function UsageTable({ rows, window: { unit, counted } }: Pick<UsageHistoryProps, 'rows' | 'window'>) {
  const isCheckIns = counted === 'check-in'
  return (
    <details className={styles['numbers']}>
      <summary>Show as table</summary>
      <Table>
        <thead>
          <tr>
            <th>{unit === 'DAY' ? 'Day (UTC)' : 'Hour'}</th>
            <th>{isCheckIns ? 'Check-ins' : 'Calls'}</th>
            {!isCheckIns && <th>Refused</th>}
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map(({ at, calls, errors }) => (
            <tr key={at}>
              <td>{SHOWN[unit].format(new Date(at))}</td>
              <td>{calls.toLocaleString()}</td>
              {!isCheckIns && <td>{errors.toLocaleString()}</td>}
            </tr>
          ))}
        </tbody>
      </Table>
    </details>
  )
}
