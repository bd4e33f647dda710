import { expect, it } from 'vitest'
import { daysLeftInWords, relativeTime } from './relative-time.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

it.for([
  [-59_000, '59 seconds ago'],
  [-1.9 * DAY, 'yesterday'],
  [-8.9 * DAY, '8 days ago'],
  [23.9 * HOUR, 'in 23 hours'],
  [45 * DAY, 'next month'],
] as const)('%d ms are %s', ([ms, words]) => {
  expect(relativeTime(ms)).toBe(words)
})

it.for([1.1, 2, 8.1, 8.9, 29.9])('%d days to come are as many as in the notice of keys that expire', (days) => {
  expect(relativeTime(days * DAY)).toBe(daysLeftInWords(Math.ceil(days)))
})
