import { InvalidArgumentError } from 'commander'

const DAY_OR_MOMENT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/

/** `2026-11-15 14:03 UTC`, or `never`. */
export function readableTime(at: number | null): string {
  return at === null ? 'never' : `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** The form for programs. */
export const isoTime = (at: number | null) => (at === null ? null : new Date(at).toISOString())

/** Milliseconds of a day, from its first moment in UTC, or of a moment with its zone. */
export function parseTime(text: string): number {
  const at = DAY_OR_MOMENT.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at) || !isInCalendar(text.slice(0, 10))) {
    throw new InvalidArgumentError('Give a day or a moment with its zone: 2027-01-31 or 2027-01-31T18:00:00Z.')
  }
  return at
}

/** The 30th of February is read as a day in March. */
const isInCalendar = (day: string) => isoTime(Date.parse(day))?.startsWith(day) ?? false
