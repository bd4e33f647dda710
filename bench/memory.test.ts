import { describe, expect, it } from 'vitest'
import { judge } from './memory.ts'
import { hasMissed, verdictLine } from './support/table.ts'

const MB = 1e6
const look = (calls: number, all: number) => ({
  calls,
  resident: { all: all * MB, files: 50 * MB, heap: 60 * MB, heapUsed: 30 * MB, others: (all - 110) * MB },
})
const answered = (looks: ReturnType<typeof look>[], asked = 1_000_000) => [
  { id: 'memory', asks: '', systems: [], ...judge(looks, asked) },
]

describe('the budget of memory after 1,000,000 calls', () => {
  it('is judged after that many', () => {
    expect(verdictLine(answered([look(100_000, 120), look(1_000_010, 200)]))).toBe('1 of 1 budgets met.')
    expect(hasMissed(answered([look(100_000, 120), look(1_000_010, 201)]))).toBe(true)
  })

  it('has no verdict after fewer: neither met nor missed, and the bench says so', () => {
    for (const megabytes of [150, 300])
      expect(verdictLine(answered([look(100_000, 120), look(999_999, megabytes)]))).toBe(
        'No budget was measured.\n  not measured: memory, no verdict on memory after 1,000,000 calls here',
      )
    expect(verdictLine(answered([look(1000, 120), look(10_000, 120)], 10_000))).toContain('not measured')
  })
})

it('the memory is divided into the heap, files and the rest, which add up', () => {
  const { findings } = judge([look(100_000, 120), look(1_000_000, 180)], 1_000_000)
  const [all, ...parts] = findings.slice(1, 5).map(({ value }) => value.median)
  expect(parts).toHaveLength(3)
  expect(parts.reduce((sum, part) => sum + part, 0)).toBe(all)
})
