export interface UsageRow {
  at: string
  calls: number
  errors: number
}

/** A number of whole hours or days (UTC), up to and including the current one. */
export interface UsageWindow {
  unit: 'HOUR' | 'DAY'
  count: number
  /** The moment that lies in the last one. */
  now: number
  /** What is counted; calls of keys unless it says otherwise. */
  counted?: Counted
}

export type Counted = 'call' | 'check-in'

export interface Interval {
  at: string
  calls: number
  errors: number
  /** When it was, and what happened then. */
  message: string
}

const LENGTH_MS = { HOUR: 3_600_000, DAY: 86_400_000 }

const SHOWN = {
  DAY: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }), // days are those of UTC
  HOUR: new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' }),
}

const SHORT = {
  DAY: new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  HOUR: new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' }),
}

/** An interval in few letters, for the axis of a chart. */
export const shortTime = (at: string, unit: UsageWindow['unit']) => SHORT[unit].format(new Date(at))

/** When the first interval begins. */
export function beginOf({ unit, count, now }: UsageWindow): number {
  const length = LENGTH_MS[unit]
  return Math.floor(now / length) * length - (count - 1) * length
}

/** Every interval of the window, also those in which nothing happened. */
export function intervalsOf(rows: readonly UsageRow[], window: UsageWindow): Interval[] {
  const begin = beginOf(window)
  const known = new Map(rows.map((row) => [Date.parse(row.at), row]))
  return Array.from({ length: window.count }, (_, index) => {
    const at = new Date(begin + index * LENGTH_MS[window.unit])
    const { calls = 0, errors = 0 } = known.get(at.getTime()) ?? {}
    return {
      at: at.toISOString(),
      calls,
      errors,
      message: `${SHOWN[window.unit].format(at)}: ${inWords(calls, errors, '', window.counted)}`,
    }
  })
}

/** "1,204 calls accepted in 30 days, 3 refused" */
export function usageInWords(rows: readonly UsageRow[], window: UsageWindow): string {
  const intervals = intervalsOf(rows, window)
  const calls = intervals.reduce((sum, row) => sum + row.calls, 0)
  const errors = intervals.reduce((sum, row) => sum + row.errors, 0)
  const time = `${window.count} ${window.unit === 'DAY' ? 'days' : 'hours'}`
  return inWords(calls, errors, ` in ${time}`, window.counted)
}

const whole = new Intl.NumberFormat()

/** How many calls were accepted, and how many refused; or how many check-ins there were. */
export function inWords(calls: number, errors: number, when = '', counted: Counted = 'call'): string {
  const made = calls === 0 ? `No ${counted}s` : calls === 1 ? `1 ${counted}` : `${whole.format(calls)} ${counted}s`
  return errors === 0 ? `${made}${when}` : `${made} accepted${when}, ${whole.format(errors)} refused`
}
