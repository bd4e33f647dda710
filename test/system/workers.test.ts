import { expect, it } from 'vitest'
import { busy, countedCalls } from '../support/process/busy-workers.ts'
import { marksOf, pidOf, startWorkers } from '../support/process/workers.ts'

const CLEAN = { code: 0, signal: null }

it('WORKERS=2: two processes answer, log lines name them, and the database is prepared once', async () => {
  const portal = await startWorkers(2)
  await marksOf(portal, 2)
  expect(portal.stdout().match(/Edge Management Portal is at/g)).toHaveLength(1)
  const listening = portal.lines().filter(({ msg }) => msg === 'listening')
  expect(listening.map(({ worker }) => worker)).toEqual([1, 2])

  expect(await portal.stop()).toEqual(CLEAN)
  const closed = portal.lines().filter(({ msg }) => msg === 'closed')
  expect(closed.map(({ worker }) => worker).sort()).toEqual([1, 2])
})

it('SIGTERM under load: no answer is cut off, and every answered call is counted', async () => {
  const portal = await startWorkers(2)
  const load = await busy(portal)
  await portal.until(() => portal.calls.answered > 500)
  await load.stop()
  expect(load.failures).toEqual([])
  expect(await portal.stop()).toEqual(CLEAN)
  expect(countedCalls(portal)).toBe(portal.calls.answered)
})

it('kill -9 of a worker: the other one answers every call, and a new one takes its place', async () => {
  const portal = await startWorkers(2)
  const load = await busy(portal)
  const before = new Set(load.answered)
  process.kill(pidOf(portal), 'SIGKILL')
  await portal.until(() => portal.serving().some(({ id }) => id === 3))
  const answering = await marksOf(portal, 2)
  await load.stop()

  expect([...answering.keys()].filter((mark) => !before.has(mark))).toHaveLength(1)
  const cutOff = new Set(load.failures.map(({ by }) => by).filter((by) => by !== ''))
  expect(cutOff.size).toBe(1) // calls that the killed one was answering
  expect(await portal.stop()).toEqual(CLEAN)
})

it('a worker that hangs is killed and replaced, while the other one answers every call', async () => {
  const portal = await startWorkers(2)
  const load = await busy(portal)
  const before = new Set(load.answered)
  process.kill(pidOf(portal), 'SIGSTOP')
  await portal.until(() => portal.serving().some(({ id }) => id === 3))
  const answering = await marksOf(portal, 2)
  await load.stop()

  expect([...answering.keys()].filter((mark) => !before.has(mark))).toHaveLength(1)
  expect(portal.lines().filter(({ killed }) => killed !== undefined)).toMatchObject([{ killed: 1 }])
  const cutOff = new Set(load.failures.map(({ by }) => by).filter((by) => by !== ''))
  expect(cutOff.size).toBe(1)
  expect(await portal.stop()).toEqual(CLEAN)
})

it('SIGHUP replaces all workers without a failed call, also on connections that were idle, and the jobs move on', async () => {
  const portal = await startWorkers(2)
  const idle = await marksOf(portal, 2)
  const [first, second] = portal.serving()
  const load = await busy(portal)
  portal.send('SIGHUP')
  await portal.until(() => portal.lines().some(({ msg }) => msg === 'all workers are replaced'))
  await portal.until(() => load.answered.size > 2)
  expect([...(await marksOf(portal, 2)).keys()].filter((mark) => idle.has(mark))).toEqual([])
  for (const [mark, client] of idle) expect(await client.call()).toBe(mark) // answered by the old one, its last
  await load.stop()

  expect(load.failures).toEqual([])
  expect(portal.serving().map(({ id }) => id)).toEqual([3, 4])
  await portal.until(() => Number(portal.working()) > 2)
  await portal.until(() => [first, second].every((old) => old && !isAlive(old.pid))) // they end once nobody is connected
  expect(await portal.stop()).toEqual(CLEAN)
  expect(countedCalls(portal)).toBe(portal.calls.answered)
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
