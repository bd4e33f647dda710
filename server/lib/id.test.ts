import { expect, it } from 'vitest'
import { fc } from '../../test/support/fast-check.ts'
import { LAST_MOMENT } from './clock.ts'
import { firstIdAt, isId, newId, timeOfId } from './id.ts'

const LEAST = '0'.repeat(10)
const GREATEST = 'z'.repeat(10)

it('an id has its format and its time, and ids of one process sort by age', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: LAST_MOMENT }), (at) => {
      const [first, second] = [newId(at), newId(at)]
      expect([isId(first), timeOfId(first), first < second]).toEqual([true, at, true])
      expect(first >= firstIdAt(at) && first < firstIdAt(at + 1)).toBe(true)
    }),
  )
})

it('ids of one moment sort by age, also when ids of an earlier one are created between them', () => {
  const now = LAST_MOMENT / 2
  const pairs = Array.from({ length: 50 }, (_, i) => ({ earlier: newId(now - i - 1), id: newId(now) }))
  const ids = pairs.map(({ id }) => id)
  expect(ids).toEqual(ids.toSorted())
})

it('terminates for every number: out-of-range values become the nearest bound', () => {
  for (const at of [-1, -1000, -0.5, Number.NaN, Number.NEGATIVE_INFINITY, -(2 ** 53)])
    expect(firstIdAt(at)).toBe(LEAST)
  for (const at of [32 ** 10, 2 ** 53, Number.MAX_VALUE, Number.POSITIVE_INFINITY]) expect(firstIdAt(at)).toBe(GREATEST)
  fc.assert(fc.property(fc.double(), (at) => void expect(firstIdAt(at)).toMatch(/^[0-9a-z]{10}$/)))
})

it('recognizes what is not an id, and still returns a time for it', () => {
  const wrong = ['', 'none', newId(0).toUpperCase(), `${newId(0)}0`, `${newId(0).slice(1)}u`, '0'.repeat(200_000)]
  expect(wrong.map(isId)).toEqual(wrong.map(() => false))
  fc.assert(fc.property(fc.string(), (text) => void expect(timeOfId(text)).toBeGreaterThanOrEqual(0)))
})
