import { useEffect, useReducer } from 'react'

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

/** A moment as people say it, in their own language; the exact one, in their own zone, on a closer look. */
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

/** The time at each look, and a look now and then: a moment that has just come is never told as one to come. */
function useNow(): number {
  const [, look] = useReducer((looks: number) => looks + 1, 0)
  useEffect(() => {
    const timer = setInterval(look, 10_000)
    return () => clearInterval(timer)
  }, [])
  return Date.now()
}
