import { expect, it } from 'vitest'
import { labelledIntervals, scaleUpTo } from './chart-scale.ts'

it.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [100, [0, 50, 100]],
  [1204, [0, 500, 1000, 1500]],
  [9_999_999, [0, 5_000_000, 10_000_000]],
])('a chart of up to %i calls has round numbers beside it', (most, numbers) => {
  expect(scaleUpTo(most)).toEqual(numbers)
})

it('every scale reaches its highest bar in a few whole steps', () => {
  for (let most = 0; most < 5000; most += 7) {
    const numbers = scaleUpTo(most)
    expect(numbers.at(-1)).toBeGreaterThanOrEqual(most)
    expect(numbers.length).toBeLessThanOrEqual(5)
    expect(numbers.every(Number.isInteger)).toBe(true)
  }
})

it('the first and the last interval are labelled, and those between at equal distances', () => {
  expect(labelledIntervals(90)).toEqual([0, 22, 45, 67, 89])
  expect(labelledIntervals(3)).toEqual([0, 1, 2])
  expect(labelledIntervals(1)).toEqual([0])
})
