import { expect, it } from 'vitest'
import { DAY, SECOND } from '../lib/clock.ts'
import { createMemoryBackoff } from './login-backoff.ts'

it('a clock that was ahead makes nobody wait longer than after their last attempt', async () => {
  let now = 1000 * DAY
  const backoff = createMemoryBackoff(() => now, { waitsMs: [0, 0, SECOND] })
  for (let i = 0; i < 2; i++) expect(await backoff.count('ada')).toBe(0)
  now -= 365 * DAY
  expect(await backoff.count('ada'), 'the third is free').toBe(0)
  expect(await backoff.count('ada')).toBe(SECOND)
  now -= DAY
  expect(await backoff.count('ada'), 'the wait begins again').toBe(SECOND)
  now += SECOND
  expect(await backoff.count('ada')).toBe(0)
})
