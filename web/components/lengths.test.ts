import { expect, it } from 'vitest'
import { expirationChoices, inDays, NO_POLICY } from '../forms/api-keys/expiration.ts'
import { DAY_MS, expiresSoon, isInUse, wasUsedRecently } from './key-activity.ts'
import { DEFAULT_OVERLAP, OVERLAPS, overlapInWords, PAUSES } from './lengths.ts'

const SECONDS: Record<string, number> = { minute: 60, hour: 3_600, day: 86_400, year: 365 * 86_400 }

/** "for 7 more days" is 604,800 seconds. */
function secondsIn(words: string): number {
  const [, count, unit = ''] = /(\d+) (?:more )?(minute|hour|day|year)s?$/.exec(words) ?? []
  return Number(count) * (SECONDS[unit] ?? Number.NaN)
}

const ago = (ms: number) => ({ lastUsedAt: new Date(Date.now() - ms).toISOString() })

it('an old secret works for as long as the words say, and for a day unless something else is chosen', () => {
  const [atOnce, ...others] = OVERLAPS
  expect(atOnce).toEqual({ seconds: 0, choice: 'Immediately' })
  expect(others.map(({ choice }) => secondsIn(choice))).toEqual(others.map(({ seconds }) => seconds))
  expect(others.map(({ duration = '' }) => secondsIn(duration))).toEqual(others.map(({ seconds }) => seconds))
  expect(DEFAULT_OVERLAP).toBe(secondsIn('1 day'))
})

it('an old secret works no longer than its key', () => {
  const [now, inTwoHours] = [Date.now(), new Date(Date.now() + 7_200_000).toISOString()]
  const inWords = (expiresAt: string | null) => OVERLAPS.map(({ seconds }) => overlapInWords(seconds, expiresAt, now))
  expect(inWords(inTwoHours)).toEqual([undefined, 'for 1 more hour', 'until it expires', 'until it expires'])
  expect(inWords(null)).toEqual([undefined, 'for 1 more hour', 'for 1 more day', 'for 7 more days'])
})

it('a key is paused for as long as the words say', () => {
  const timed = PAUSES.filter(({ seconds }) => seconds !== null)
  expect(timed.map(({ label }) => secondsIn(label))).toEqual(timed.map(({ seconds }) => seconds))
  expect(PAUSES.at(-1)).toEqual({ seconds: null, label: 'until resumed' })
})

it('a key expires after as many days as the words say', () => {
  const timed = expirationChoices(NO_POLICY).slice(1, -1)
  expect(timed.map(({ label }) => secondsIn(label))).toEqual(timed.map(({ value }) => Number(value) * 86_400))
  const end = Date.parse(inDays('7', NO_POLICY) ?? '')
  expect(Math.abs(end - Date.now() - 7 * DAY_MS)).toBeLessThan(60_000)
})

it('a key was used recently if it was used within 24 hours, and expires soon within 30 days and a fifth of its lifetime', () => {
  const used = [{ lastUsedAt: null }, ago(0), ago(0.99 * DAY_MS), ago(1.01 * DAY_MS), ago(6 * DAY_MS)]
  expect(used.map(wasUsedRecently)).toEqual([false, true, true, false, false])
  const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
  const key = (age: number, left: number) => ({ createdAt: at(-age), expiresAt: at(left) })
  const keys = [key(365, 29.9), key(365, 30.1), key(0, 30), key(23.9, 6.1), key(24.1, 5.9), key(0, 1)]
  expect(keys.map(expiresSoon)).toEqual([true, false, false, false, true, false])
})

it('a key is in use if it was used within 24 hours, as the list or newer calls say, and has not expired', () => {
  const [recently, earlier] = [ago(0), ago(2 * DAY_MS)]
  expect([isInUse(recently), isInUse(earlier), isInUse(earlier, 1), isInUse(earlier, 0)]).toEqual([
    ...[true, false],
    ...[true, false],
  ])
  expect([isInUse({ ...recently, expired: true }), isInUse({ ...earlier, expired: true }, 1)]).toEqual([false, false])
})
