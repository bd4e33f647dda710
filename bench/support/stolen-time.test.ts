import { expect, it } from 'vitest'
import { type CpuTime, cpuTime, cpuTimeIn, stolenShare, undisturbed } from './stolen-time.ts'

it('reads the first line of /proc/stat', () => {
  expect(cpuTimeIn('cpu  400 1 70 2800 59 2 10 66 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n')).toEqual({ used: 483, stolen: 66 })
  expect(cpuTimeIn('cpu  400 1 70 2800\n'), 'of a kernel that does not count it').toEqual({ used: 471, stolen: 0 })
  expect(cpuTime().used).toBeGreaterThanOrEqual(0)
})

it('the share is that of what was asked for; nothing of nothing', () => {
  expect(stolenShare({ used: 100, stolen: 10 }, { used: 190, stolen: 20 })).toBe(0.1)
  expect(stolenShare({ used: 100, stolen: 10 }, { used: 100, stolen: 10 })).toBe(0)
})

/** A machine of which others take these shares, attempt by attempt. */
function measured(shares: number[]) {
  let attempts = 0
  let time: CpuTime = { used: 0, stolen: 0 }
  const measure = async () => {
    const share = shares[attempts++] ?? 0
    time = { used: time.used + 1000 * (1 - share), stolen: time.stolen + 1000 * share }
    return attempts
  }
  return undisturbed(measure, () => time).then((result) => ({ result, attempts }))
}

it('a round of which too much was stolen is measured again, at most twice; the one with the least counts', async () => {
  expect(await measured([0.09])).toEqual({ result: 1, attempts: 1 })
  expect(await measured([0.4, 0.05])).toEqual({ result: 2, attempts: 2 })
  expect(await measured([0.4, 0.2, 0.3, 0])).toEqual({ result: 2, attempts: 3 })
})
