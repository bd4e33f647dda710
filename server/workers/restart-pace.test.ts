import { expect, it } from 'vitest'
import { SECOND } from '../lib/clock.ts'
import { createRestartPace } from './restart-pace.ts'

it('workers that die soon after their start are replaced later and later, at most every 30 s, and at once again when one has lived', () => {
  const waitAfter = createRestartPace()
  const waits = Array.from({ length: 8 }, () => waitAfter(9 * SECOND) / SECOND)
  expect(waits).toEqual([0, 1, 2, 4, 8, 16, 30, 30])
  expect(waitAfter(10 * SECOND)).toBe(0)
  expect(waitAfter(0)).toBe(0)
  expect(waitAfter(0)).toBe(SECOND)
})
