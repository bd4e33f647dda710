import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { createBusyClient, startBusyClients } from '../support/busy-clients.ts'
import { runPortal, temporaryFolder } from '../support/portal-process.ts'
import { marksOf, pidOf, startWorkers } from '../support/workers.ts'

const CLEAN = { code: 0, signal: null }

type Portal = Awaited<ReturnType<typeof startWorkers>>

/** Calls without a pause, to all of two processes. */
async function busy(portal: Portal, clients = 8) {
  const toEach = [...(await marksOf(portal, 2)).values()]
  const others = Array.from({ length: clients - toEach.length }, () => createBusyClient(portal))
  const load = startBusyClients([...toEach, ...others])
  onTestFinished(() => load.stop())
  await portal.until(() => load.answered.size === 2)
  return load
}

/** The calls of a key that are counted in the database. */
function countedCalls({ dataDir, keyId }: Portal): number {
  const database = new DatabaseSync(join(dataDir, 'portal.db'), { readOnly: true, timeout: 5000 })
  const row = database
    .prepare(`
      select sum("calls") as "calls" from
      (select "keyId", "calls" from "apiKeyUsage" union all select "keyId", "calls" from "apiKeyUsageDay")
      where "keyId" = ?`)
    .get(keyId)
  database.close()
  return Number(row?.['calls'] ?? 0)
}

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
  expect(cutOff.size).toBe(1) // those that the killed one was answering
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

it('/metrics adds up all workers, also those that are gone', async () => {
  const portal = await startWorkers(2)
  const answered = async () => {
    const text = await (await fetch(`${portal.url}/metrics`)).text()
    const [, count] = /^portal_http_requests_total\{route="\/graphql",status="200"\} (\d+)$/m.exec(text) ?? []
    expect(text.match(/^process_start_time_seconds /gm)).toHaveLength(1)
    return Number(count)
  }
  const load = await busy(portal)
  await load.stop()
  const all = portal.calls.answered + 1 // with the one that generated the key
  expect(await answered()).toBe(all)

  process.kill(pidOf(portal), 'SIGKILL')
  await portal.until(() => portal.serving().some(({ id }) => id === 3))
  expect(await answered()).toBe(all)
  process.kill(pidOf(portal), 'SIGTERM') // it stops in good order, and is replaced too
  await portal.until(() => portal.serving().some(({ id }) => id === 4))
  expect(await answered()).toBe(all)
})

it('background jobs run in one worker, and in another one when it dies', async () => {
  const portal = await startWorkers(2)
  expect(portal.lines().filter(({ by }) => by !== undefined)).toMatchObject([{ by: 1 }])
  process.kill(pidOf(portal, portal.working()), 'SIGKILL')
  await portal.until(() => portal.working() === 2)
  expect(portal.lines().filter(({ by }) => by !== undefined)).toMatchObject([{ by: 1 }, { by: 2 }])
})

it('when the parent is killed, its workers stop by themselves, and what they counted is written', async () => {
  const portal = await startWorkers(2, { npm_lifecycle_event: '' }) // as without npm, whose end they notice too
  const load = await busy(portal)
  await portal.until(() => portal.calls.answered > 200)
  await load.stop()
  await portal.stop('SIGKILL') // its output ends with the last of them
  expect(portal.lines().filter(({ msg }) => msg === 'closed')).toHaveLength(2)
  expect(countedCalls(portal)).toBe(portal.calls.answered)
})

it('what is wrong with the settings is said once, and a port that is taken too', async () => {
  const wrong = await runPortal(['serve'], { env: { WORKERS: '2', PORT: 'x', ADMIN_EMAIL: 'ada@example.com' } })
  expect(wrong).toMatchObject({ code: 1, stdout: '' })
  expect(wrong.stderr).toMatch(/^Cannot start: PORT .*; ADMIN_EMAIL, .*\n$/)

  const portal = await startWorkers(2)
  const { port } = new URL(portal.url)
  const taken = await runPortal(['serve'], { env: { WORKERS: '2', PORT: port, DATA_DIR: temporaryFolder() } })
  expect(taken).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^Port \d+ is taken: .*\n$/) })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
