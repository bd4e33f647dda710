import { expect, it } from 'vitest'
import { quantile, summarize } from './statistics.ts'

it('the median is in the middle, the spread covers half of the values, and one outlier moves neither far', () => {
  expect(summarize([5, 1, 4, 2, 3])).toEqual({ median: 3, low: 2, high: 4 })
  expect(summarize([5, 1, 4, 2, 1000])).toEqual({ median: 4, low: 2, high: 5 })
  expect(summarize([1, 2])).toEqual({ median: 1.5, low: 1.25, high: 1.75 })
})

it('computes a quantile of unsorted timings', () => {
  const latencies = Float64Array.from({ length: 101 }, (_, i) => i)
  expect([quantile(latencies, 0.5), quantile(latencies, 0.99)]).toEqual([50, 99])
})
