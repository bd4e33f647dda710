import { describe, expect, it } from 'vitest'
import { beginOf, intervalsOf, type UsageWindow, usageInWords } from './usage-window.ts'

const NOW = Date.UTC(2026, 10, 15, 12, 34, 56)
const DAYS: UsageWindow = { unit: 'DAY', count: 30, now: NOW }
const HOURS: UsageWindow = { unit: 'HOUR', count: 48, now: NOW }

const row = (at: string, calls: number, errors = 0) => ({ at, calls, errors })

describe('the window of a usage chart', () => {
  it('ends with the current day or hour, in UTC', () => {
    expect(new Date(beginOf(DAYS)).toISOString()).toBe('2026-10-17T00:00:00.000Z')
    expect(new Date(beginOf(HOURS)).toISOString()).toBe('2026-11-13T13:00:00.000Z')
    expect(intervalsOf([], DAYS).at(-1)?.at).toBe('2026-11-15T00:00:00.000Z')
    expect(intervalsOf([], HOURS).at(-1)?.at).toBe('2026-11-15T12:00:00.000Z')
  })

  it('fills in quiet times, and omits what is older', () => {
    const rows = [
      row('2026-10-16T00:00:00.000Z', 9),
      row('2026-10-17T00:00:00.000Z', 1),
      row('2026-11-15T00:00:00Z', 2),
    ]
    const intervals = intervalsOf(rows, DAYS)
    expect(intervals).toHaveLength(30)
    expect(intervals.filter(({ calls }) => calls > 0).map(({ at, calls }) => [at.slice(0, 10), calls])).toEqual([
      ['2026-10-17', 1],
      ['2026-11-15', 2],
    ])
  })

  it.each([
    [[], 'No calls in 30 days'],
    [[row('2026-11-15T00:00:00.000Z', 1)], '1 call in 30 days'],
    [
      [row('2026-11-14T00:00:00.000Z', 1200, 1), row('2026-11-15T00:00:00.000Z', 4, 2)],
      '1,204 calls accepted in 30 days, 3 refused',
    ],
    [[row('2026-11-15T00:00:00.000Z', 0, 5)], 'No calls accepted in 30 days, 5 refused'],
    [[row('2026-10-16T00:00:00.000Z', 9, 9)], 'No calls in 30 days'],
  ])('is one sentence: %j', (rows, words) => {
    expect(usageInWords(rows, DAYS)).toBe(words)
  })

  it.each([
    [[], 'No check-ins in 30 days'],
    [[row('2026-11-15T00:00:00.000Z', 1)], '1 check-in in 30 days'],
    [[row('2026-11-14T00:00:00.000Z', 1200)], '1,200 check-ins in 30 days'],
  ])('of check-ins too: %j', (rows, words) => {
    const window = { ...DAYS, counted: 'check-in' } as const
    expect(usageInWords(rows, window)).toBe(words)
    expect(intervalsOf([], window)[0]?.message).toMatch(/: No check-ins$/)
  })
})
