import { expect, it } from 'vitest'
import { createYielder } from './event-loop.ts'

it('C16: a chain of short steps yields to the event loop once its time is used up', async () => {
  const yieldWhenDue = createYielder(0)
  let iterations = 0
  const timer = setInterval(() => iterations++, 0)
  for (const until = performance.now() + 50; performance.now() < until; ) await yieldWhenDue()
  clearInterval(timer)
  expect(iterations).toBeGreaterThan(1)
})

it('short work goes on without yielding', async () => {
  const yieldWhenDue = createYielder(60_000)
  expect([yieldWhenDue(), yieldWhenDue(), yieldWhenDue()]).toEqual([undefined, undefined, undefined])
})
