import { expect, it } from 'vitest'
import { inWords } from './revoking.ts'

it.each([
  [['a'], 'Not revoked, because it was already gone: a'],
  [['a', 'b'], 'Not revoked, because they were already gone: a, b'],
])('says why keys were not revoked: %j', (left, line) => {
  expect(inWords({ revoked: [], left }, { at: 'now', were: 'already gone' })).toBe(
    `Revoked now, for good: none\n${line}`,
  )
})
