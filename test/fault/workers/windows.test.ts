import { expect, it } from 'vitest'
import { mostInWindows } from './windows.ts'

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
