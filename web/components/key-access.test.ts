import { expect, it } from 'vitest'
import { restrictionsInWords } from './key-access.ts'

const NONE = { allowedNetworks: [], requestsPerSecond: null, requestsPerDay: null }

it('C10: the networks and limits of a key are said in short, and nothing where there are none', () => {
  expect(restrictionsInWords(NONE)).toBe('')
  expect(restrictionsInWords({ ...NONE, requestsPerDay: 5_000 })).toBe(`${(5_000).toLocaleString()} a day`)
  expect(
    restrictionsInWords({ allowedNetworks: ['10.0.0.0/8', '::1'], requestsPerSecond: 5, requestsPerDay: null }),
  ).toBe('From 10.0.0.0/8, ::1 · 5 a second')
})
