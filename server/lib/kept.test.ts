import { expect, it } from 'vitest'
import { fc } from '../../test/support/fast-check.ts'
import { createKept } from './kept.ts'

it('never keeps more than it may, whatever is asked for', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 200 }), (keys) => {
      const kept = createKept<number>(5)
      for (const key of keys) expect(kept.get(String(key)) ?? kept.add(String(key), key)).toBe(key)
      const found = Array.from({ length: 21 }, (_, key) => kept.get(String(key))).filter((value) => value !== undefined)
      expect(found).toHaveLength(Math.min(5, new Set(keys).size))
    }),
  )
})

it('never keeps more than it may weigh, and the last one in any case', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 9 })), { maxLength: 200 }), (added) => {
      const kept = createKept<number>(100, 20)
      for (const [key, weight] of added) {
        if (weight % 3 === 0) kept.get(String(key))
        kept.add(String(key), weight, weight)
        expect(kept.get(String(key))).toBe(weight)
      }
      const weights = Array.from({ length: 21 }, (_, key) => kept.get(String(key)) ?? 0)
      expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeLessThanOrEqual(20)
    }),
  )
})

it('lets go of what nobody has asked for, the oldest first', () => {
  const kept = createKept<string>(3)
  for (const key of ['a', 'b', 'c']) kept.add(key, key)
  kept.get('a')
  kept.add('d', 'd')
  expect(['a', 'b', 'c', 'd'].map(kept.get)).toEqual(['a', undefined, 'c', 'd'])
})
