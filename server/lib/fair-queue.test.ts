import { describe, expect, it } from 'vitest'
import { fc } from '../../test/support/fast-check.ts'
import { FairQueue, type QueueLimits } from './fair-queue.ts'

const always = () => true

/** Names begin with the letter of their group; a served one is served with its place in the order. */
function queueOf(limits: Partial<QueueLimits> = {}) {
  const gone = new Set<string>()
  const queue = new FairQueue<{ group: string; name: string }, number>({
    maxWaiting: 1000,
    maxWaitingOfGroup: 1000,
    ...limits,
    refusal: (reason) => new Error(reason),
    isDisconnected: ({ name }) => gone.has(name),
  })
  const outcomes = new Map<string, string>()
  let served = 0
  return {
    queue,
    gone,
    outcomes,
    arrive: (...names: string[]) => {
      for (const name of names)
        queue.wait({ group: name.slice(0, 1), name }).then(
          (place) => outcomes.set(name, `served ${place}`),
          (error: Error) => outcomes.set(name, error.message),
        )
    },
    /** Names in the order in which they are served, until nobody may be. */
    serve: (howMany = Number.POSITIVE_INFINITY, may: (group: string) => boolean = always) => {
      const names: string[] = []
      for (let next = queue.next(may); next; next = names.length < howMany ? queue.next(may) : undefined) {
        names.push(next.who.name)
        next.resolve(++served)
      }
      return names
    },
    settled: async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return Object.fromEntries(outcomes)
    },
  }
}

describe('the next served', () => {
  it('is nobody when the queue is empty', () => {
    const { queue, serve } = queueOf()
    expect([serve(), queue.size]).toEqual([[], 0])
    queue.rejectAll(new Error('unused'))
    expect(queue.nextBy(always)).toBeUndefined()
  })

  it('is the only one, with its value', async () => {
    const { arrive, serve, settled, queue } = queueOf()
    arrive('a1')
    expect([queue.size, serve(), queue.size]).toEqual([1, ['a1'], 0])
    expect(await settled()).toEqual({ a1: 'served 1' })
  })

  it('C16: comes from each group in turn, first in, first out within a group', () => {
    const { arrive, serve } = queueOf()
    arrive('a1', 'a2', 'a3', 'b1', 'c1', 'b2')
    expect(serve()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('C16: comes from a late group after one of each other group, however many wait', () => {
    const { arrive, serve } = queueOf()
    arrive('a1', 'a2', 'a3', 'b1', 'b2', 'b3')
    serve(3)
    arrive('c1')
    expect(serve()).toEqual(['b2', 'a3', 'c1', 'b3'])
  })

  it('C16: comes from a thousand groups, one after the other', () => {
    const queue = new FairQueue({ maxWaiting: 3000, maxWaitingOfGroup: 3, refusal: (reason) => new Error(reason) })
    const groups = Array.from({ length: 1000 }, (_, i) => `org-${i}`)
    for (const group of groups) for (let i = 0; i < 3; i++) void queue.wait({ group })
    const served = Array.from({ length: 3000 }, () => queue.next(always)?.who.group)
    expect(served).toEqual([...groups, ...groups, ...groups])
    expect(queue.size).toBe(0)
  })

  it('C16: comes from the group that has used the least time, and has the others wait for as long as it had', () => {
    const { arrive, serve, queue } = queueOf()
    queue.noteUse('a', 300)
    arrive('a1', 'a2', 'b1', 'b2', 'b3', 'b4', 'c1')
    const order = Array.from({ length: 7 }, () => {
      const [name = ''] = serve(1)
      if (name.startsWith('b')) queue.noteUse('b', 120)
      return name
    })
    expect(order).toEqual(['b1', 'c1', 'b2', 'b3', 'a1', 'a2', 'b4'])
  })

  it('is not from a group that may not run: it is skipped, and stays next', () => {
    const { arrive, serve } = queueOf()
    arrive('a1', 'b1', 'b2', 'c1')
    expect(serve(2, (group) => group !== 'a')).toEqual(['b1', 'c1'])
    expect(serve()).toEqual(['a1', 'b2'])
  })

  it('follows another order if one is given', () => {
    const { arrive, queue, gone } = queueOf()
    arrive('a1', 'a3', 'b2', 'b0')
    gone.add('b0')
    const byNumber = () => queue.nextBy((one, other) => one.name.slice(1) < other.name.slice(1))?.who.name
    expect([byNumber(), byNumber(), byNumber(), byNumber()]).toEqual(['a1', 'b2', 'a3', undefined])
  })
})

describe('refused are', () => {
  it('waiters after their time limit, and none that were served', async () => {
    const { arrive, serve, outcomes, queue } = queueOf({ patienceMs: 5 })
    arrive('a1', 'a2')
    serve(1)
    await expect.poll(() => Object.fromEntries(outcomes)).toEqual({ a1: 'served 1', a2: 'late' })
    expect([queue.size, serve()]).toEqual([0, []])
  })

  it('disconnected waiters, at their turn', async () => {
    const { arrive, serve, settled, gone, queue } = queueOf()
    arrive('a1', 'b1', 'a2')
    gone.add('a1').add('b1')
    expect([serve(), queue.size]).toEqual([['a2'], 0])
    expect(await settled()).toEqual({ a1: 'disconnected', b1: 'disconnected', a2: 'served 1' })
  })

  it.each([
    ['group', { maxWaitingOfGroup: 2 }],
    ['queue', { maxWaiting: 2 }],
  ])('none because of disconnected waiters, which take no room in a full %s', async (_name, limits) => {
    const { arrive, serve, settled, gone } = queueOf(limits)
    arrive('a1', 'a2')
    gone.add('a1').add('a2')
    arrive('a3', 'a4')
    expect(serve()).toEqual(['a3', 'a4'])
    expect(await settled()).toMatchObject({ a1: 'disconnected', a2: 'disconnected' })
  })

  it('waiters whose group is full, and no others', async () => {
    const { arrive, serve, settled } = queueOf({ maxWaitingOfGroup: 1 })
    arrive('a1', 'a2', 'b1')
    expect(serve()).toEqual(['a1', 'b1'])
    expect(await settled()).toMatchObject({ a2: 'group full' })
  })

  it('the last of the largest group when the queue is full, so that a smaller group always has room', async () => {
    const { arrive, serve, settled } = queueOf({ maxWaiting: 4 })
    arrive('a1', 'a2', 'a3', 'b1') // full
    arrive('c1') // in place of a3
    arrive('b2') // a has two, b would have two: refused
    arrive('c2')
    arrive('d1') // in place of a2
    expect(serve()).toEqual(['a1', 'b1', 'c1', 'd1'])
    expect(await settled()).toMatchObject({ a2: 'full', a3: 'full', b2: 'full', c2: 'full' })
  })

  it('all when the queue is cleared, which can then be used again', async () => {
    const { arrive, serve, settled, queue } = queueOf({ patienceMs: 60_000 })
    arrive('a1', 'b1', 'a2')
    queue.rejectAll(new Error('given up'))
    expect(queue.size).toBe(0)
    arrive('a3')
    expect(serve()).toEqual(['a3'])
    expect(await settled()).toMatchObject({ a1: 'given up', b1: 'given up', a2: 'given up' })
  })
})

it('C16: a waiter waits for at most one more of each other group than of its own group before it', () => {
  const step = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('a', 'a', 'a', 'b', 'c') }, fc.constant('serve'))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { arrive, serve } = queueOf()
      const arrivals = new Map<string, { own: number; after: number }>()
      const served: string[] = []
      for (const step of steps) {
        if (step === 'serve') served.push(...serve(1))
        else {
          const name = `${step}${arrivals.size}`
          const own = [...arrivals.keys()].filter((other) => other[0] === step && !served.includes(other)).length
          arrivals.set(name, { own, after: served.length })
          arrive(name)
        }
      }
      served.push(...serve())
      for (const [name, { own, after }] of arrivals) {
        const before = served.slice(after, served.indexOf(name))
        for (const group of 'abc') {
          const most = group === name[0] ? own : own + 1
          expect(before.filter((other) => other[0] === group).length).toBeLessThanOrEqual(most)
        }
      }
      expect(served).toHaveLength(arrivals.size)
    }),
  )
})

it('under random operations, groups are first in, first out, within bounds, and no waiter is lost or served twice', async () => {
  const group = fc.constantFrom('a', 'b', 'c', 'd')
  const step = fc.oneof(
    fc.record({ arrives: group }),
    fc.record({ arrives: fc.constant('a') }), // one sends more than others
    fc.record({ leaves: fc.nat(30) }),
    fc.record({ serve: fc.array(group, { minLength: 1, maxLength: 4 }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { queue, arrive, serve, settled, gone } = queueOf({ maxWaiting: 8, maxWaitingOfGroup: 4 })
      const names: string[] = []
      const served: string[] = []
      for (const step of steps) {
        if ('arrives' in step) {
          names.push(`${step.arrives}${names.length}`)
          arrive(...names.slice(-1))
        } else if ('leaves' in step) {
          gone.add(names[step.leaves] ?? '')
        } else {
          const before = [...gone]
          const [name] = serve(1, (group) => step.serve.some((may) => may === group))
          if (name) served.push(name)
          expect(before).not.toContain(name)
        }
        expect(queue.size).toBeLessThanOrEqual(8)
      }
      const order = [...served, ...serve()]
      for (const letter of 'abcd') {
        const places = order.filter((name) => name[0] === letter).map((name) => Number(name.slice(1)))
        expect(places).toEqual(places.toSorted((one, other) => one - other))
      }
      const outcomes = await settled()
      expect(Object.keys(outcomes).sort()).toEqual(names.toSorted())
      expect(Object.values(outcomes).filter((outcome) => outcome.startsWith('served'))).toHaveLength(order.length)
      expect([new Set(order).size, queue.size]).toEqual([order.length, 0])
    }),
  )
})
