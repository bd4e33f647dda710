import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { plainEnv } from '../support/environment.ts'
import { startDemo, temporaryFolder } from '../support/process/portal-process.ts'
import { PORTAL_PROGRAM } from '../support/process/portal-program.ts'
import { hasTerminals, startOnTerminal } from '../support/process/terminal.ts'
import type { LogLine } from '../support/process/workers.ts'

const WITHIN_MS = 90_000
const SERVE = `'${process.execPath}' '${PORTAL_PROGRAM}' serve`

interface Line extends LogLine {
  signal?: string
  of?: number
}

/** A portal on a terminal, which logs to a file. */
function startOn(command: string, workers: number) {
  const folder = temporaryFolder()
  const path = join(folder, 'log')
  const lines = (): Line[] =>
    (existsSync(path) ? readFileSync(path, 'utf8') : '')
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line))
  const env = { ...plainEnv(), SHELL: '/bin/sh', PORT: '0', DATA_DIR: folder, WORKERS: String(workers) }
  const pidPath = join(folder, 'pid')
  const pid = () => Number(readFileSync(pidPath, 'utf8'))
  const close = startOnTerminal(`echo $$ > '${pidPath}'; exec ${command} 2> '${path}'`, env)
  onTestFinished(() => killIfAlive(pid()))
  const until = async (isSo: (line: Line) => boolean) => {
    await expect.poll(() => lines().some(isSo), { timeout: WITHIN_MS }).toBe(true)
    return lines().find(isSo)
  }
  return { close, pid, lines, until }
}

const all = ({ msg, serving, of }: Line) => msg === 'a worker serves' && serving === of

it.runIf(hasTerminals)('a portal with workers stops cleanly when its terminal is closed', async () => {
  const portal = startOn(SERVE, 2)
  await portal.until(all)
  portal.close()
  expect(await portal.until(({ msg }) => msg === 'all workers have stopped')).toMatchObject({ signal: 'SIGHUP' })
  expect(portal.lines().filter(({ msg }) => msg === 'closed')).toHaveLength(2)
})

it.runIf(hasTerminals)('a portal of one process stops cleanly when its terminal is closed', async () => {
  const portal = startOn(SERVE, 1)
  await portal.until(({ msg }) => msg === 'listening')
  portal.close()
  await portal.until(({ msg }) => msg === 'closed')
})

it.runIf(hasTerminals)('nohup: a portal goes on when its terminal is closed', async () => {
  const portal = startOn(`nohup ${SERVE} > /dev/null`, 2)
  await portal.until(all)
  portal.close()
  await portal.until(({ msg }) => msg === 'all workers are replaced')
  process.kill(portal.pid(), 'SIGTERM')
  expect(await portal.until(({ msg }) => msg === 'all workers have stopped')).toMatchObject({ signal: 'SIGTERM' })
})

it('SIGHUP without a terminal: a portal of one process goes on, and says so', async () => {
  const portal = await startDemo(temporaryFolder())
  portal.send('SIGHUP')
  await expect.poll(portal.stderr).toContain('"msg":"nothing is done: with WORKERS above 1, all workers are replaced"')
  expect(await portal.asKey(portal.secret)('{ viewer { role } }')).toMatchObject({ status: 200 })
  expect(await portal.stop()).toEqual({ code: 0, signal: null })
})

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {} // it has ended
}
