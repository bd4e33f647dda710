import { describe, expect, it } from 'vitest'
import { fc } from '../../../test/support/fast-check.ts'
import { type Charged, leasingWorkers } from '../../../test/support/leasing-workers.ts'
import { DAY, MINUTE } from '../clock.ts'
import { moveTo, newLease } from './lease.ts'

const WORKERS = 3
const worker = fc.nat(WORKERS - 1)
const upTo = (max: number) => fc.integer({ min: 1, max })

/** What can happen. Stops and deaths end a worker. */
const ORDINARY = [
  { weight: 8, arbitrary: fc.tuple(fc.constant('charge' as const), worker, upTo(50)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('charge much' as const), worker, upTo(20)) },
  { weight: 8, arbitrary: fc.tuple(fc.constantFrom('deliver to' as const, 'deliver from' as const), worker, upTo(4)) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('deliver all' as const), worker, upTo(1)) },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constant('pass' as const), worker, fc.oneof(upTo(2500), upTo(2500), upTo(25_000))),
  },
]
const ENDS = { weight: 1, arbitrary: fc.tuple(fc.constantFrom('kill' as const, 'stop' as const), worker, upTo(1)) }

type Step = [
  'charge' | 'charge much' | 'deliver to' | 'deliver from' | 'deliver all' | 'pass' | 'kill' | 'stop',
  number,
  number,
]

async function run(steps: Step[], limit: number, windowMs: number) {
  const all = leasingWorkers({ workers: WORKERS, limit, windowMs })
  for (const [what, of, much] of steps) {
    if (what === 'charge') for (let i = 0; i < much; i++) all.charge(of)
    else if (what === 'charge much') all.charge(of, Math.min(much, limit))
    else if (what === 'deliver to') for (let i = 0; i < much; i++) await all.deliver(`to ${of}`)
    else if (what === 'deliver from') for (let i = 0; i < much; i++) await all.deliver(`from ${of}`)
    else if (what === 'deliver all') await all.deliverAll()
    else if (what === 'pass') all.pass(much)
    else if (what === 'kill') all.kill(of)
    else all.stop(of)
  }
  for (let of = 0; of < WORKERS; of++) for (let i = 0; i < limit; i++) all.charge(of) // whatever is left is spent
  await all.deliverAll()
  expect(all.unanswered()).toBe(0)
  return all
}

/** The points accepted in each window, by its end. */
function byWindow(charged: Charged[]): Map<number, number> {
  const sums = new Map<number, number>()
  for (const { at, points, taken } of charged) {
    if (!taken?.isAccepted) continue
    const end = at + taken.msBeforeNext
    sums.set(end, (sums.get(end) ?? 0) + points)
  }
  return sums
}

describe('workers together', () => {
  const limits = fc.constantFrom(1, 5, 20, 40, 80)
  const windows = fc.constantFrom(2000, 2000, 2000, MINUTE, DAY)

  it('accept no more than the limit in a window, however charges, messages, stops and deaths follow each other', async () => {
    const steps = fc.array(fc.oneof(...ORDINARY, ENDS), { maxLength: 80 })
    await fc.assert(
      fc.asyncProperty(steps, limits, windows, async (each, limit, windowMs) => {
        const { charged } = await run(each, limit, windowMs)
        const sums = byWindow(charged)
        expect(Math.max(0, ...sums.values())).toBeLessThanOrEqual(limit)
        const ends = [...sums.keys()].sort((a, b) => a - b)
        for (const [i, end] of ends.entries()) expect(end - (ends[i - 1] ?? 0)).toBeGreaterThanOrEqual(windowMs)
        for (const { taken } of charged) {
          if (!taken) continue
          expect(taken.msBeforeNext).toBeGreaterThan(0)
          expect(taken.msBeforeNext).toBeLessThanOrEqual(windowMs)
          expect(taken.remaining).toBeGreaterThanOrEqual(0)
        }
      }),
      { numRuns: 400 },
    )
  }, 60_000)

  it('refuse only what one process would refuse: when the rest of the limit is not enough', async () => {
    const steps = fc.array(fc.oneof(...ORDINARY), { maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(steps, limits, async (each, limit) => {
        const { charged } = await run(each, limit, DAY)
        const refused = charged.filter(({ taken }) => taken?.isAccepted === false).map(({ points }) => points)
        const accepted = byWindow(charged).values().next().value ?? 0
        if (refused.length > 0) expect(accepted + Math.max(...refused)).toBeGreaterThan(limit)
      }),
      { numRuns: 200 },
    )
  }, 60_000)
})

describe('a caller of one worker', () => {
  it('has the whole limit, also while others have a part of it, in each window', async () => {
    const all = leasingWorkers({ limit: 200 })
    for (let window = 1; window <= 3; window++) {
      all.charge(1)
      await all.deliverAll()
      for (let i = 0; i < 250; i++) {
        all.charge(0)
        await all.deliverAll()
      }
      expect([all.accepted(0), all.accepted(1), all.refused()]).toEqual([199 * window, window, 51 * window])
      all.pass(2000)
    }
  })

  it('asks rarely: a few times on the way to the limit, and not for what is refused', async () => {
    const all = leasingWorkers({ limit: 200 })
    for (let i = 0; i < 1000; i++) {
      all.charge(0)
      await all.deliverAll()
    }
    expect([all.accepted(), all.refused(), all.messages()]).toEqual([200, 800, 10])
  })

  it('asks once in ten windows when it stays far below the limit', async () => {
    const all = leasingWorkers({ limit: 200 })
    for (let i = 0; i < 100; i++) {
      all.charge(0)
      await all.deliverAll()
      all.pass(1999)
    }
    expect([all.accepted(), all.messages()]).toEqual([100, 10])
  })

  it('knows what is left as exactly as one process does', async () => {
    const all = leasingWorkers({ limit: 30 })
    for (let i = 0; i < 32; i++) {
      all.charge(0)
      await all.deliverAll()
    }
    const left = [...Array(30).keys()].reverse()
    expect(all.charged.map(({ taken }) => taken?.remaining)).toEqual([...left, 0, 0])
    expect(all.charged.map(({ taken }) => taken?.isAccepted)).toEqual([...left.map(() => true), false, false])
  })
})

describe('at the end of a window', () => {
  const LIMIT = 40
  const WINDOW_MS = 2000

  /** Both workers have a part. */
  async function start() {
    const all = leasingWorkers({ limit: LIMIT, windowMs: WINDOW_MS })
    for (const each of [0, 1]) {
      all.charge(each)
      await all.deliverAll()
    }
    return all
  }

  /** Whatever they can get. */
  async function spendAll({ charge, deliverAll }: ReturnType<typeof leasingWorkers>) {
    for (const each of [0, 1]) for (let i = 0; i < LIMIT; i++) charge(each)
    await deliverAll()
  }

  it('it is not over a moment before', async () => {
    const all = await start()
    all.pass(WINDOW_MS - 1)
    all.charge(0)
    expect(all.charged.at(-1)?.taken).toMatchObject({ isAccepted: true, msBeforeNext: 1 })
    all.pass(1)
    all.charge(0)
    expect(all.charged.at(-1)?.taken).toMatchObject({ isAccepted: true, msBeforeNext: WINDOW_MS })
  })

  it('a lease that arrives after it is void', async () => {
    const all = await start()
    for (let i = 0; i < 20; i++) all.charge(0) // so that it asks for more
    await all.deliver('from 0')
    all.pass(WINDOW_MS)
    all.charge(0)
    await spendAll(all)
    expect([...byWindow(all.charged).values()].at(-1)).toBe(LIMIT)
  })

  it('a standing share stays as it is while its worker may be using it', async () => {
    const all = await start()
    for (let i = 0; i < 20; i++) all.charge(0)
    await all.deliver('from 0')
    all.pass(WINDOW_MS)
    for (let i = 0; i < 10; i++) all.charge(0)
    for (let i = 0; i < LIMIT; i++) all.charge(1)
    await all.deliver('from 1')
    await all.deliver('to 1')
    await spendAll(all)
    expect([...byWindow(all.charged).values()].at(-1)).toBe(LIMIT)
  })

  it('what a worker returns of the window before is not free in the next', async () => {
    const all = await start()
    all.charge(1)
    all.stop(0)
    all.pass(WINDOW_MS)
    all.charge(1)
    await spendAll(all)
    expect([...byWindow(all.charged).values()].at(-1)).toBeLessThanOrEqual(LIMIT)
  })

  it('the lease of a worker that died is spent, and free in the next one', async () => {
    const all = await start() // 20 and 6 are leased
    all.kill(0)
    await spendAll(all)
    expect(all.accepted()).toBe(1 + LIMIT - 20)
    all.pass(WINDOW_MS)
    await spendAll(all)
    expect([...byWindow(all.charged).values()].at(-1)).toBe(LIMIT)
  })

  it('the lease of a worker that stopped is free at once', async () => {
    const all = await start()
    all.stop(0)
    await all.deliverAll()
    await spendAll(all)
    expect(all.accepted()).toBe(LIMIT)
  })

  it('a standing share is returned only as long as the parent has reserved it', () => {
    const shareAt = (at: number) => {
      const lease = {
        ...newLease('somebody', LIMIT),
        windowEnd: WINDOW_MS,
        standing: 10,
        standingUntil: 9 * WINDOW_MS + 1,
      }
      moveTo(lease, WINDOW_MS, at, true)
      return lease.unspent
    }
    expect([shareAt(10 * WINDOW_MS - 1), shareAt(10 * WINDOW_MS)]).toEqual([10, 0])
  })
})
