import { useId } from 'react'
import styles from './UsageChart.module.css'
import { type Interval, intervalsOf, type UsageRow, type UsageWindow, usageInWords } from './usage-window.ts'

interface UsageChartProps {
  /** Only the intervals in which something happened; the empty ones are filled in. */
  rows: readonly UsageRow[]
  window: UsageWindow
  /** In pixels; it shrinks with what is around it. */
  width?: number
  height?: number
}

const GAP = 0.25
const MIN_BAR = 3
/** Narrower bars cannot be pointed at. */
const MIN_POINTABLE = 6

/** Calls upwards, refused calls downwards and hatched, so that they differ without colours too. */
export function UsageChart({ rows, window, width = 120, height = 28 }: UsageChartProps) {
  const hatch = useId()
  const intervals = intervalsOf(rows, window)
  const base = Math.round(height * 0.7)
  const most = (what: 'calls' | 'errors') => Math.max(...intervals.map((interval) => interval[what]))
  const scale = Math.min(base / most('calls'), (height - base - 1) / most('errors')) // one that is 0 sets no limit
  const step = width / intervals.length

  /** A bar for each interval in which there were any, all in one path: a list has a hundred of these charts. */
  const bars = (what: 'calls' | 'errors', from: number, direction: 1 | -1) =>
    intervals
      .map(({ [what]: count }, index) => {
        if (count === 0) return ''
        const long = direction * Math.max(MIN_BAR, count * scale)
        const wide = step * (1 - GAP)
        return `M${round((index + GAP / 2) * step)} ${from}v${round(long)}h${round(wide)}v${round(-long)}z`
      })
      .join('')

  return (
    <svg
      role="img"
      aria-label={usageInWords(rows, window)}
      className={styles['chart']}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      <pattern id={hatch} width="3" height="3" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="2" height="3" className={styles['refused']} />
      </pattern>
      <path d={bars('calls', base, -1)} className={styles['calls']} />
      <path d={bars('errors', base + 1, 1)} fill={`url(#${hatch})`} />
      <rect y={base} width={width} height="1" className={styles['base']} />
      {step >= MIN_POINTABLE &&
        intervals.map((interval, index) => <Detail key={interval.at} {...{ interval, index, step, height }} />)}
    </svg>
  )
}

/** The counts of an interval, as a tooltip. */
function Detail({
  interval,
  index,
  step,
  height,
}: {
  interval: Interval
  index: number
  step: number
  height: number
}) {
  return (
    <rect x={index * step} width={step} height={height} fill="transparent">
      <title>{interval.message}</title>
    </rect>
  )
}

const round = (pixels: number) => Math.round(pixels * 100) / 100
