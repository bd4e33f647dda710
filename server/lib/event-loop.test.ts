import { expect, it } from 'vitest'
import { createYielder } from './event-loop.ts'

const MANY = 1_000_000

it('C16: a chain of short steps yields to the event loop once its time is used up', async () => {
  const yieldWhenDue = createYielder(0)
  let iterations = 0
  const timer = setInterval(() => iterations++, 0)
  for (let step = 0; step < MANY && iterations < 2; step++) await yieldWhenDue()
  clearInterval(timer)
  expect(iterations).toBe(2)
})

it('short work goes on without yielding', async () => {
  const yieldWhenDue = createYielder(60_000)
  expect([yieldWhenDue(), yieldWhenDue(), yieldWhenDue()]).toEqual([undefined, undefined, undefined])
})
