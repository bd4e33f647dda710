import { expect, it } from 'vitest'
import { memoryGrowth, rowGrowth, slowWrites } from './whole-run.ts'

const samples = (megabytesAt: (i: number) => number, startAt = (_i: number) => 1) =>
  Array.from({ length: 60 }, (_, i) => ({ megabytes: megabytesAt(i), start: startAt(i) }))

it('finds memory that keeps growing, and not memory that settles', () => {
  expect(memoryGrowth(samples((i) => 150 + 20 * i))).toHaveLength(1)
  expect(memoryGrowth(samples((i) => Math.min(400, 150 + 20 * i)))).toEqual([])
})

it('does not compare a process with the one before it', () => {
  expect(
    memoryGrowth(
      samples(
        (i) => (i < 30 ? 100 : 900),
        (i) => (i < 30 ? 1 : 2),
      ),
    ),
  ).toEqual([])
})

it('finds rows that no mutation explains', () => {
  expect(rowGrowth({ device: 10 }, { device: 100_000 }, 3)).toHaveLength(1)
  expect(rowGrowth({ device: 10 }, { device: 100 }, 3)).toEqual([])
})

it('finds that others wait with their writes, unless they wait as long while nobody else does anything', () => {
  const writes = (slow: number, ms: number) => Array.from({ length: 1000 }, (_, i) => (i < slow ? ms : 5))
  expect(slowWrites(writes(20, 300), writes(0, 0), 0)).toMatchObject([{ kind: 'bystander held up' }])
  expect(slowWrites(writes(5, 300), writes(0, 0), 0)).toEqual([])
  expect(slowWrites(writes(20, 240), writes(0, 0), 0)).toEqual([])
  expect(slowWrites(writes(20, 300), writes(20, 70), 0)).toEqual([])
  expect(slowWrites(writes(20, 300), writes(0, 0), 60)).toEqual([])
})
