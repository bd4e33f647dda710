import { Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

/** A moment as people say it, in their own language; the exact one, in their own zone, on a closer look. */
export function Time({ at, never = 'Never' }: { at: string | null | undefined; never?: string }) {
  const now = useNow()
  if (!at) return <>{never}</>
  return (
    <Tooltip label={absolute.format(new Date(at))} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={at} className="nowrap">
        {inWords(Date.parse(at) - now)}
      </time>
    </Tooltip>
  )
}

function inWords(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  return relative.format(Math.trunc(seconds / size), unit)
}

function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
