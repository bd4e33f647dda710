import { expect, it, onTestFinished, vi } from 'vitest'
import { inProcessParent } from '../../test/support/world/in-process-parent.ts'
import { DAY, SECOND } from './clock.ts'
import { type Charge, createLimiter } from './limiter.ts'

const WINDOW_MS = 2 * SECOND

/** Workers of one parent, and a way to let time pass for all of them. */
function startWorkers(count: number) {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const parent = inProcessParent(count)
  const workers = Array.from({ length: count }, () =>
    createLimiter('requests', WINDOW_MS / SECOND, { parent: parent.parentCounts }),
  )
  return { ...parent, workers, pass: (ms: number) => void vi.advanceTimersByTime(ms) }
}

/** Charges at once; how many points were accepted. */
async function accepted(charges: { worker: Charge | undefined; points?: number }[], limit: number): Promise<number> {
  const taken = await Promise.all(
    charges.map(async ({ worker, points = 1 }) =>
      (await worker?.('somebody', limit, points))?.isAccepted ? points : 0,
    ),
  )
  return taken.reduce((sum, each) => sum + each, 0)
}

const times = <Value>(count: number, value: Value) => Array<Value>(count).fill(value)

it.each([1, 5, 30, 200, 1000])('of %i points, all workers together spend no more, and no fewer', async (limit) => {
  const { workers, pass } = startWorkers(3)
  for (let windows = 0; windows < 3; windows++) {
    const charges = times(
      limit,
      workers.map((worker) => ({ worker })),
    ).flat()
    expect(await accepted(charges, limit)).toBe(limit)
    pass(WINDOW_MS / 2)
    expect(await accepted(charges, limit)).toBe(0)
    pass(WINDOW_MS / 2)
  }
})

it('one worker spends all but what the others have in advance: together an eighth at most', async () => {
  for (const limit of [5, 30, 200, 1000]) {
    const { workers } = startWorkers(3)
    const [one, ...others] = workers.map((worker) => ({ worker }))
    expect(await accepted(others, limit)).toBe(others.length)
    const spent = await accepted(times(limit, one ?? { worker: undefined }), limit)
    expect(spent).toBeLessThanOrEqual(limit - others.length)
    expect(spent).toBeGreaterThanOrEqual(limit * (7 / 8) - others.length)
  }
})

it('what was not spent is void in the next window', async () => {
  const { workers, pass } = startWorkers(2)
  const charges = times(
    200,
    workers.map((worker) => ({ worker })),
  ).flat()
  for (let windows = 0; windows < 5; windows++) {
    await accepted(
      workers.map((worker) => ({ worker })),
      200,
    ) // the rest of what they took in advance is not spent
    pass(WINDOW_MS)
    expect(await accepted(charges, 200)).toBe(200)
    pass(WINDOW_MS)
  }
})

it('what is left over from a window does not add to the next one, when a charge needs more than that', async () => {
  const { workers, pass, counts } = startWorkers(2)
  const [worker] = workers
  await worker?.('somebody', 160, 1) // nine are left of ten in advance
  pass(WINDOW_MS - 1)
  const late = worker?.('somebody', 160, 60) // asked in the first window, counted in the second
  pass(1)
  expect((await late)?.isAccepted).toBe(true)
  expect(counts.asked).toBe(3) // once more in place of the nine
  expect(await accepted(times(160, { worker }), 160)).toBe(160 - 60)
})

it('charges of several points are accepted while there are enough, and a refused one takes what is left', async () => {
  const { workers } = startWorkers(2)
  const [worker] = workers
  expect(await worker?.('somebody', 100, 60)).toMatchObject({ isAccepted: true, remaining: 40 })
  expect(await worker?.('somebody', 100, 60)).toMatchObject({
    isAccepted: false,
    remaining: 0,
    msBeforeNext: WINDOW_MS,
  })
  expect(await worker?.('somebody', 100, 1)).toMatchObject({ isAccepted: false })
})

it('two limits of one id, as two keys of a rotation chain may have, are counted together', async () => {
  const { workers } = startWorkers(2)
  const [one, other] = workers
  let spent = 0
  for (let i = 0; i < 100; i++) {
    if ((await one?.('chain', 40))?.isAccepted) spent++
    if ((await other?.('chain', 80))?.isAccepted) spent++
  }
  expect(spent).toBeLessThanOrEqual(80)
  expect(spent).toBeGreaterThanOrEqual(80 - 2) // the first may have two in advance
})

it('of a day nothing is taken in advance: a worker that is replaced takes no call away', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { parentCounts: parent } = inProcessParent(2)
  for (let calls = 0; calls < 40; calls++) {
    const worker = createLimiter('requests-of-key-a-day', DAY / SECOND, { parent })
    expect((await worker('somebody', 400)).remaining).toBe(400 - calls - 1)
  }
})
