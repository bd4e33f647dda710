import { expect, it } from 'vitest'
import { acceptedWhileRefused, mostInWindows } from './windows.ts'

const accepted = (...starts: number[]) =>
  starts.map((start) => ({ start, end: start + 10, verdict: 'accepted' as const }))
const limit = { limit: 2, windowMs: 1000 }

it('what two windows allow may be accepted around the end of one of them, and no more', () => {
  expect(mostInWindows(accepted(980, 985, 1001, 1002), limit)).toEqual([])
  expect(mostInWindows(accepted(980, 985, 990, 1001, 1002), limit)).toEqual([
    '5 calls were accepted within 1000 ms: 4 at most',
  ])
})

it('a little too much in each window is seen over several', () => {
  const threeInEach = Array.from({ length: 12 }, (_, window) => [0, 1, 2].map((i) => window * 1000 + i)).flat()
  expect(mostInWindows(accepted(...threeInEach), limit)).toContain('30 calls were accepted within 10000 ms: 22 at most')
  expect(mostInWindows(accepted(...threeInEach.filter((start) => start % 1000 < 2)), limit)).toEqual([])
})

it('a limit that is used up in each window is whole if as many are accepted as it allows', () => {
  const calls = Array.from({ length: 60 }, (_, i) => {
    const verdict = i % 10 < 2 ? ('accepted' as const) : ('refused' as const)
    return { start: i * 100, end: i * 100 + 10, verdict }
  })
  expect(acceptedWhileRefused(calls, { windows: 4, windowMs: 1000 })).toBeGreaterThanOrEqual(2 * 3)
  expect(acceptedWhileRefused(calls, { windows: 6, windowMs: 1000 })).toBeUndefined() // shorter than that
  const withGap = calls.filter(({ start }) => start < 2000 || start > 3500)
  expect(acceptedWhileRefused(withGap, { windows: 4, windowMs: 1000 })).toBeUndefined()
})
