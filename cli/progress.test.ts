import { expect, it } from 'vitest'
import { sizeInWords } from './numbers.ts'
import { progressLine } from './progress.ts'

it('progress has the share, the rate and the time that is left', () => {
  expect(progressLine({ rows: 250_000, of: 1_000_000, afterMs: 5000 })).toBe(
    '250,000 of 1,000,000 rows (25 %), 50,000 a second, about 15 s left',
  )
  expect(progressLine({ rows: 1000, of: 1_000_000, afterMs: 2000 })).toMatch(/about 34 min left$/)
  expect(progressLine({ rows: 0, of: 0, afterMs: 2000 })).toBe('0 of 0 rows (0 %), 0 a second')
})

it('sizes are in the unit that fits', () => {
  expect([0, 999, 1000, 12_345_678, 2.5e9].map(sizeInWords)).toEqual([
    '0 bytes',
    '999 bytes',
    '1.0 kB',
    '12.3 MB',
    '2.5 GB',
  ])
})
