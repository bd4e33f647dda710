const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

/** "3 hours ago", "in 9 days". Days to come are rounded up, as everywhere where the days of a key are counted. */
export function relativeTime(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  const count = unit === 'day' && seconds > 0 ? Math.ceil(seconds / size) : Math.trunc(seconds / size)
  return count === 0 ? 'just now' : relative.format(count, unit)
}

/** How soon a key expires, counted as in emails and warnings: the rest of a day is a day. */
export const daysLeftInWords = (daysLeft: number) => (daysLeft <= 1 ? 'within a day' : `in ${daysLeft} days`)
