/** Milliseconds since 1970. Tests pass their own clock. */
export type Clock = () => number

export const systemClock: Clock = Date.now

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The last millisecond of the year 9999; the first allowed one is 0. */
export const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

export const isMoment = (at: number): boolean => at >= 0 && at <= LAST_MOMENT
