import { expect, it } from 'vitest'
import { createPace } from './pace.ts'

it('C16: a chain of short steps lets others have a turn once its own is used up', async () => {
  const pace = createPace(0)
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  for (const until = performance.now() + 50; performance.now() < until; ) await pace()
  clearInterval(timer)
  expect(turns).toBeGreaterThan(1)
})

it('what is short goes on at once', async () => {
  const pace = createPace(60_000)
  expect([pace(), pace(), pace()]).toEqual([undefined, undefined, undefined])
})
