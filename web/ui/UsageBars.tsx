import { useId } from 'react'
import styles from './UsageHistory.module.css'
import type { Interval } from './usage-window.ts'

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
export function UsageBars({ intervals, top, label }: UsageBarsProps) {
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
