import { InvalidArgumentError } from 'commander'
import { DAY, SECOND } from '../server/lib/clock.ts'
import { durationOf, UNITS } from '../server/lib/duration.ts'

const DAY_OR_MOMENT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/

/** `2026-11-15 14:03 UTC`, or `never`. */
export function readableTime(at: string | number | null): string {
  return at === null ? 'never' : `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** ISO 8601, for programs. */
export const isoTime = (at: number | null) => (at === null ? null : new Date(at).toISOString())

/** Milliseconds of a date, as its start in UTC, or of a time with a zone. */
export function parseTime(text: string): number {
  const at = DAY_OR_MOMENT.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at) || !isInCalendar(text.slice(0, 10))) {
    throw new InvalidArgumentError('Give a date, or a time with its zone: 2027-01-31 or 2027-01-31T18:00:00Z.')
  }
  return at
}

/** Date.parse reads February 30 as a day in March. */
const isInCalendar = (day: string) => isoTime(Date.parse(day))?.startsWith(day) ?? false

/** Milliseconds of `90d`, `12h`, `30m` or `45s`; `0` means `0s`. */
export function parseLength(text: string): number {
  const length = durationOf(text === '0' ? '0s' : text)
  if (length === undefined) throw new InvalidArgumentError('Give a length such as 90d, 12h, 30m or 45s.')
  return length
}

/** The number of days of `90d`, or of the same time in hours. */
export function parseDays(text: string): number {
  const days = parseLength(text) / DAY
  if (days < 1 || !Number.isInteger(days)) throw new InvalidArgumentError('Give whole days, such as 90d.')
  return days
}

/** `45s`, `30m`, `12h` or `90d`: the largest unit that fits. */
export function shortLength(ms: number): string {
  const [unit, length] = Object.entries(UNITS).find(([, length]) => ms >= length) ?? ['s', SECOND]
  return `${Math.floor(ms / length)}${unit}`
}
