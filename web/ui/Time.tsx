import { useEffect, useReducer } from 'react'
import { relativeTime } from './relative-time.ts'

const REFRESH_MS = 10_000
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

/** A relative time in the reader's language; the exact time is in the tooltip. */
export function Time({ at, never = 'Never' }: { at: string | null | undefined; never?: string }) {
  const now = useNow()
  if (!at) return <>{never}</>
  return (
    <time dateTime={at} title={absolute.format(new Date(at))} className="nowrap">
      {relativeTime(Date.parse(at) - now)}
    </time>
  )
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
