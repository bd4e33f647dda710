import { expect, it } from 'vitest'
import { DAY } from './clock.ts'
import { FairQueue } from './fair-queue.ts'

const LIMITS = { atOnce: 2, atOnceOfGroup: 1, maxWaiting: 100, maxWaitingOfGroup: 100, patienceMs: DAY } // longer than any run: nobody here looks at what gives up

/** Work that is over when told so, and the order in which all of it was begun. */
function workshop(limits: Partial<typeof LIMITS> = {}) {
  const queue = new FairQueue({ ...LIMITS, ...limits })
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const ask = (name: string, isDisconnected?: () => boolean) =>
    queue.run(
      name.slice(0, 1),
      () => {
        begun.push(name)
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
      },
      isDisconnected,
    )
  const end = async (name: string) => {
    ends.get(name)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { ask, end, begun }
}

it('C16: each group has its turn, however many one has sent before', async () => {
  const { ask, end, begun } = workshop({ atOnce: 1 })
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) void ask(name)
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']) await end(name)
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

it('C16: one group leaves the rest to others, also while nobody else is there', async () => {
  const { ask, begun } = workshop()
  for (const name of ['a1', 'a2', 'a3', 'b1']) void ask(name)
  expect(begun).toEqual(['a1', 'b1'])
})

it('whoever is gone when the turn comes is passed over, and takes no room meanwhile', async () => {
  const { ask, end, begun } = workshop({ maxWaitingOfGroup: 2 })
  let isDisconnected = false
  void ask('a1')
  const left = [ask('a2', () => isDisconnected), ask('a3', () => isDisconnected)].map((each) =>
    each.catch((error) => error.code),
  )
  await expect(ask('a4')).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { retryAfterSeconds: 1 } })
  isDisconnected = true
  void ask('a5')
  await end('a1')
  expect(begun).toEqual(['a1', 'a5'])
  expect(await Promise.all(left)).toEqual(['UNAVAILABLE', 'UNAVAILABLE'])
})

it('one group cannot fill the queue for others', async () => {
  const { ask, begun } = workshop({ atOnce: 1, maxWaitingOfGroup: 1 })
  for (const name of ['a1', 'a2']) void ask(name)
  await expect(ask('a3')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  void ask('b1')
  expect(begun).toEqual(['a1'])
})

it('nobody waits for ever, and a failure gives its place to the next', async () => {
  const { ask } = workshop({ patienceMs: 1 })
  void ask('a1')
  await expect(ask('a2')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  const queue = new FairQueue({ ...LIMITS, atOnce: 1 })
  const failed = queue.run('a', () => Promise.reject(new Error('planted')))
  const next = queue.run('b', async () => 'done')
  await expect(failed).rejects.toThrow('planted')
  expect(await next).toBe('done')
})
