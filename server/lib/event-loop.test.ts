import { expect, it } from 'vitest'
import { createFairYielder, createYielder } from './event-loop.ts'

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

/** Work of so many requests of a group that arrive at once, each of which blocks for some milliseconds; who has run. */
function arrive(yieldWhenDue: ReturnType<typeof createFairYielder>, group: string, count: number, ran: string[]) {
  return Array.from({ length: count }, async () => {
    const others = yieldWhenDue(() => group)
    if (others !== undefined) await others
    for (const until = performance.now() + 2; performance.now() < until; );
    ran.push(group)
  })
}

it('C16: of many requests that arrive at once each runs, and the event loop goes on between them', async () => {
  let iterations = 0
  const timer = setInterval(() => iterations++, 0)
  const ran: string[] = []
  const yieldWhenDue = createFairYielder(4)
  await Promise.all(['a', 'b'].flatMap((group) => arrive(yieldWhenDue, group, 20, ran)))
  clearInterval(timer)
  expect(ran.toSorted()).toEqual([...Array(20).fill('a'), ...Array(20).fill('b')])
  expect(iterations).toBeGreaterThan(5)
})

it('C16: a request of another group that arrives later does not wait for them', async () => {
  const yieldWhenDue = createFairYielder(4)
  const ran: string[] = []
  const all = arrive(yieldWhenDue, 'many', 100, ran)
  await new Promise(setImmediate)
  await Promise.all([...all, ...arrive(yieldWhenDue, 'one', 1, ran)])
  expect(ran).toHaveLength(101)
  expect(ran.indexOf('one')).toBeLessThan(20)
})

it('requests that are quick do not wait', () => {
  const yieldWhenDue = createFairYielder(60_000)
  expect(['a', 'a', 'b'].map((group) => yieldWhenDue(() => group))).toEqual([undefined, undefined, undefined])
})
