import { useEffect, useReducer } from 'react'

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]
const REFRESH_MS = 10_000
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

/** A relative time in the reader's language; the exact time is in the tooltip. */
export function Time({ at, never = 'Never' }: { at: string | null | undefined; never?: string }) {
  const now = useNow()
  if (!at) return <>{never}</>
  return (
    <time dateTime={at} title={absolute.format(new Date(at))} className="nowrap">
      {inWords(Date.parse(at) - now)}
    </time>
  )
}

function inWords(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  return relative.format(Math.trunc(seconds / size), unit)
}

/** The current time, refreshed regularly, so that a moment in the past never reads as one in the future. */
function useNow(): number {
  const [, tick] = useReducer((ticks: number) => ticks + 1, 0)
  useEffect(() => {
    const timer = setInterval(tick, REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  return Date.now()
}
