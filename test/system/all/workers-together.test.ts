import { expect, it } from 'vitest'
import { busy, countedCalls } from '../../support/process/busy-workers.ts'
import { runPortal, temporaryFolder } from '../../support/process/portal-process.ts'
import { pidOf, startWorkers } from '../../support/process/workers.ts'

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
