import { describe, expect, it } from 'vitest'
import { fc } from '../../test/support/fast-check.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'

const LIMITS = {
  atOnce: 2,
  atOnceOfGroup: 1,
  maxWaiting: 100,
  maxWaitingOfGroup: 100,
  refusal: (reason: string) => new Error(reason),
  now: () => 0,
}

const oneTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Tasks that end when told so, by names that begin with the letter of their group, and the order in which they began. */
function tasks(limits: Partial<typeof LIMITS & { patienceMs: number }> = {}) {
  const limit = new ConcurrencyLimit({ ...LIMITS, ...limits })
  const begun: string[] = []
  const running = new Map<string, PromiseWithResolvers<string>>()
  return {
    limit,
    begun,
    running,
    run: (name: string, isDisconnected?: () => boolean) =>
      limit.run(
        name.slice(0, 1),
        () => {
          begun.push(name)
          running.set(name, Promise.withResolvers())
          return running.get(name)?.promise ?? Promise.reject()
        },
        isDisconnected,
      ),
    end: async (name: string, error?: Error) => {
      if (error) running.get(name)?.reject(error)
      else running.get(name)?.resolve(name)
      running.delete(name)
      await oneTurn()
    },
  }
}

describe('tasks begin', () => {
  it('at once while there is room, the others in order', async () => {
    const { run, end, begun } = tasks({ atOnceOfGroup: 2 })
    const all = ['a1', 'a2', 'a3', 'a4'].map((name) => run(name))
    expect(begun).toEqual(['a1', 'a2'])
    for (const name of ['a2', 'a1', 'a3', 'a4']) await end(name)
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a4'])
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4'])
  })

  it('C16: of each group in turn, however many one group has sent before', async () => {
    const { run, end, begun } = tasks({ atOnce: 1 })
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) void run(name)
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']) await end(name)
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  })

  it('C16: of the group that has used the least time, however many one group has sent before', async () => {
    let now = 0
    const { run, end, begun } = tasks({ atOnce: 1, now: () => now })
    for (const name of ['a1', 'a2', 'b1', 'b2', 'b3', 'c1']) void run(name)
    const took = { a: 300, b: 120, c: 1 } as const
    for (const name of ['a1', 'b1', 'c1', 'b2', 'b3', 'a2'] as const) {
      now += took[name[0] as 'a' | 'b' | 'c']
      await end(name)
    }
    expect(begun).toEqual(['a1', 'b1', 'c1', 'b2', 'b3', 'a2'])
  })

  it('C16: with room left for other groups, even while there are none', () => {
    const { run, begun } = tasks()
    for (const name of ['a1', 'a2', 'a3', 'b1']) void run(name)
    expect(begun).toEqual(['a1', 'b1'])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('planted')
      },
    ],
    ['rejects', () => Promise.reject(new Error('planted'))],
  ])('also after one that %s, and its caller gets the error', async (_how, fail: () => Promise<never>) => {
    const { limit, run, end } = tasks({ atOnce: 1 })
    const failed = limit.run('a', fail)
    const next = run('b1')
    await expect(failed).rejects.toThrow('planted')
    await oneTurn()
    await end('b1')
    expect(await next).toBe('b1')
    const third = run('a1')
    await end('a1')
    expect(await third).toBe('a1')
  })
})

describe('a waiting task', () => {
  it('is dropped when its client has disconnected, and takes no room until then', async () => {
    const { run, end, begun } = tasks({ maxWaitingOfGroup: 2 })
    let isDisconnected = false
    void run('a1')
    const left = ['a2', 'a3'].map((name) => run(name, () => isDisconnected).catch((error) => error.message))
    await expect(run('a4')).rejects.toThrow('group full')
    isDisconnected = true
    void run('a5')
    await end('a1')
    expect(begun).toEqual(['a1', 'a5'])
    expect(await Promise.all(left)).toEqual(['disconnected', 'disconnected'])
  })

  it('has a time limit, and does not run later', async () => {
    const { run, end, begun } = tasks({ patienceMs: 1 })
    void run('a1')
    await expect(run('a2')).rejects.toThrow('late')
    await end('a1')
    expect(begun).toEqual(['a1'])
  })
})

it('C16: under random operations, never more run than allowed, and no task waits that could run', async () => {
  const step = fc.oneof(
    fc.record({ run: fc.constantFrom('a', 'a', 'b', 'c') }),
    fc.record({ end: fc.nat(3), fails: fc.boolean() }),
  )
  const limits = fc.record({ atOnce: fc.integer({ min: 1, max: 3 }), atOnceOfGroup: fc.integer({ min: 1, max: 3 }) })
  await fc.assert(
    fc.asyncProperty(limits, fc.array(step, { maxLength: 30 }), async (limits, steps) => {
      const { run, end, running, begun } = tasks(limits)
      const sent: string[] = []
      const outcomes: Promise<string>[] = []
      const runningOf = (group: string) => [...running.keys()].filter((name) => name[0] === group).length
      for (const step of steps) {
        if ('run' in step) {
          sent.push(`${step.run}${sent.length}`)
          outcomes.push(run(sent.at(-1) ?? '').catch((error) => error.message))
        } else await end([...running.keys()][step.end] ?? '', step.fails ? new Error('planted') : undefined)
        expect(running.size).toBeLessThanOrEqual(limits.atOnce)
        for (const group of 'abc') expect(runningOf(group)).toBeLessThanOrEqual(limits.atOnceOfGroup)
        const waiting = sent.filter((name) => !begun.includes(name))
        if (running.size < limits.atOnce)
          for (const [group = ''] of waiting) expect(runningOf(group)).toBe(limits.atOnceOfGroup)
      }
      while (running.size > 0) await end([...running.keys()][0] ?? '')
      expect(begun).toHaveLength(outcomes.length)
      await Promise.all(outcomes)
    }),
  )
})
