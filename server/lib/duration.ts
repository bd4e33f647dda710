import { DAY, HOUR, MINUTE, SECOND } from './clock.ts'

export const UNITS = { d: DAY, h: HOUR, m: MINUTE, s: SECOND } as const
const DURATION = /^(\d{1,6})([dhms])$/

/** Milliseconds of `90d`, `12h`, `30m` or `45s`; undefined: it is none. */
export function durationOf(text: string): number | undefined {
  const [, number, unit] = DURATION.exec(text) ?? []
  return number === undefined ? undefined : Number(number) * UNITS[unit as keyof typeof UNITS] // the pattern allows no other
}
