import { expect, it } from 'vitest'
import { type CpuTime, cpuTime, cpuTimeIn, createUndisturbed, stolenShare } from './stolen-time.ts'

it('reads the first line of /proc/stat', () => {
  expect(cpuTimeIn('cpu  400 1 70 2800 59 2 10 66 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n')).toEqual({ used: 483, stolen: 66 })
  expect(cpuTimeIn('cpu  400 1 70 2800\n'), 'of a kernel that does not count it').toEqual({ used: 471, stolen: 0 })
  expect(cpuTime().used).toBeGreaterThanOrEqual(0)
})

it('the share is that of what was asked for; nothing of nothing', () => {
  expect(stolenShare({ used: 100, stolen: 10 }, { used: 190, stolen: 20 })).toBe(0.1)
  expect(stolenShare({ used: 100, stolen: 10 }, { used: 100, stolen: 10 })).toBe(0)
})

/** A machine of which others take these shares, attempt by attempt; after that, the last of them. */
function machine(...shares: number[]) {
  const seen = { attempts: 0, pausesMs: [] as number[] }
  let time: CpuTime = { used: 0, stolen: 0 }
  const wait = async (ms: number) => void seen.pausesMs.push(ms)
  const undisturbed = createUndisturbed({ now: () => time, wait })
  const measure = async () => {
    const share = shares[Math.min(seen.attempts++, shares.length - 1)] ?? 0
    time = { used: time.used + 1000 * (1 - share), stolen: time.stolen + 1000 * share }
    return seen.attempts
  }
  return { seen, measure: (missing?: (attempt: number) => number) => undisturbed(measure, missing) }
}

it('a round of which too much was stolen is measured again after longer and longer pauses', async () => {
  const quiet = machine(0.04)
  expect(await quiet.measure()).toBe(1)
  expect(quiet.seen.pausesMs).toEqual([])
  const disturbed = machine(0.4, 0.06, 0.05)
  expect(await disturbed.measure()).toBe(3)
  expect(disturbed.seen.pausesMs).toEqual([1000, 5000])
})

it('the same where something is missing by what was measured', async () => {
  const { seen, measure } = machine(0)
  expect(await measure((attempt) => (attempt < 3 ? 0.1 : 0.05))).toBe(3)
  expect(seen.pausesMs).toEqual([1000, 5000])
})

it('after five attempts the one with the least counts', async () => {
  const { seen, measure } = machine(0.4, 0.2, 0.3)
  expect(await measure()).toBe(2)
  expect(seen).toEqual({ attempts: 5, pausesMs: [1000, 5000, 15_000, 30_000] })
})

it('all pauses of a run together are limited', async () => {
  const { seen, measure } = machine(0.2)
  for (let round = 0; round < 100; round++) await measure()
  expect(seen.pausesMs.reduce((sum, ms) => sum + ms, 0)).toBe(600_000)
})
