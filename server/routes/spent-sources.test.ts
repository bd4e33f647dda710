import { expect, it } from 'vitest'
import { MINUTE, SECOND } from '../lib/clock.ts'
import { limitRefusals } from '../lib/counts.ts'
import { createSpentSources } from './spent-sources.ts'

const counted = () => limitRefusals.entries.get('refused_keys') ?? 0

it('a source has nothing left until its time is over, and each refusal is counted', () => {
  let time = 0
  const spent = createSpentSources(() => time, 60)
  spent.note('192.0.2.1', 2500)
  const before = counted()
  const secondsFor = (source: string) => spent.errorOf(source)?.details.retryAfterSeconds
  expect(secondsFor('192.0.2.1')).toBe(3)
  time = 2499
  expect(secondsFor('192.0.2.1')).toBe(1)
  expect(secondsFor('192.0.2.2')).toBeUndefined()
  time = 2500
  expect(secondsFor('192.0.2.1')).toBeUndefined()
  expect(counted() - before).toBe(2)
})

it('a clock that is set back refuses nobody for longer', () => {
  let time = 10 * MINUTE
  const spent = createSpentSources(() => time, 60)
  spent.note('192.0.2.1', 30 * SECOND)
  time = 0
  expect(spent.errorOf('192.0.2.1')).toBeUndefined()
})
