import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../support/process/portal-process.ts'
import { PLANTED_WORKERS, pidOf, startWorkers } from '../../support/process/workers.ts'

const CLEAN = { code: 0, signal: null }
const AT_FIRST = 'a worker has died and is replaced'
const LATER = 'workers die soon after their start: the next one is started later'

it('a worker that dies at its start is started again later and later, with one line each, while the other one answers', async () => {
  const folder = temporaryFolder()
  const portal = await startWorkers(2, {}, { entry: [PLANTED_WORKERS, folder] })
  writeFileSync(join(folder, 'die'), '')
  process.kill(pidOf(portal), 'SIGKILL')
  const deaths = () => portal.lines().filter(({ died }) => died !== undefined)
  await portal.until(() => deaths().length >= 5)
  expect(await portal.asKey(portal.secret)('{ viewer { role } }')).toMatchObject({ status: 200 })

  rmSync(join(folder, 'die'))
  await portal.until(() => portal.serving().length === 2)
  expect(deaths().slice(0, 5)).toMatchObject([
    { died: 1, msg: AT_FIRST },
    { died: 3, msg: LATER, seconds: 0.1 },
    { died: 4, msg: LATER, seconds: 0.2 },
    { died: 5, msg: LATER, seconds: 0.2 },
    { died: 6, msg: LATER, seconds: 0.2 },
  ])
  const [newest] = portal.serving().slice(-1)
  expect(newest?.id).toBe(deaths().length + 2) // none was started beside the pace
  expect(await portal.stop()).toEqual(CLEAN)
})

it('background jobs run in one worker only, and in another one when it is killed', async () => {
  const [folder, backups] = [temporaryFolder(), temporaryFolder()]
  writeFileSync(join(backups, '.portal-installation'), 'another') // so that each attempt is in the log
  const portal = await startWorkers(2, { BACKUP_DIR: backups }, { entry: [PLANTED_WORKERS, folder] })
  const attempts = () => portal.lines().filter(({ msg }) => msg.startsWith('a scheduled backup failed'))
  await portal.until(() => attempts().length > 20)
  expect(new Set(attempts().map(({ worker }) => worker))).toEqual(new Set([1]))

  process.kill(pidOf(portal, 1), 'SIGKILL')
  const before = attempts().length
  await portal.until(() => portal.serving().length === 2 && attempts().length > before + 20)
  expect(new Set(attempts().map(({ worker }) => worker))).toEqual(new Set([1, 2]))
  expect(await portal.stop()).toEqual(CLEAN)
})

/** How many files a process may open from now on. */
const limitFiles = (pid: number | undefined, files: number) =>
  spawnSync('prlimit', ['--pid', String(pid), `--nofile=${files}:`]).status === 0

it.skipIf(spawnSync('prlimit', ['--version']).status !== 0)(
  'while no further process can be started, the workers that are there go on',
  async () => {
    const portal = await startWorkers(2, {}, { entry: [PLANTED_WORKERS, temporaryFolder()] })
    expect(limitFiles(portal.pid, 3)).toBe(true)
    process.kill(pidOf(portal), 'SIGKILL')
    await portal.until(() => portal.lines().some(({ msg }) => msg.startsWith('a worker could not be started')))
    expect(await portal.asKey(portal.secret)('{ viewer { role } }')).toMatchObject({ status: 200 })
    portal.send('SIGHUP')
    await portal.until(() => portal.lines().some(({ msg }) => msg === 'a new worker did not start: the others stay'))

    expect(limitFiles(portal.pid, 1024)).toBe(true)
    await portal.until(() => portal.serving().length === 2)
    expect(await portal.stop()).toEqual(CLEAN)
  },
)
