import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { removeStale, withLock } from '../../scripts/lock.js'
import { temporaryFolder } from '../support/process/portal-process.ts'

const HOLDER = fileURLToPath(import.meta.resolve('../support/process/lock-holder.js'))
const NOBODY = 2 ** 22 + 1 // above what Linux gives out

/** A lock that somebody has left, untouched for so many seconds. */
function leftBehind(text: string, seconds: number): string {
  const path = join(temporaryFolder(), 'lock')
  writeFileSync(path, text)
  utimesSync(path, 0, Date.now() / 1000 - seconds)
  return path
}

const heldBy = (pid: number, host = hostname()) => JSON.stringify({ pids: [pid], host })

/** Whether somebody else gets it while the test looks on. */
async function isTaken(path: string): Promise<boolean> {
  const child = spawn(process.execPath, [HOLDER, path, `${path}.notes`], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill()
    await ended
  })
  const waits = once(child.stderr, 'data').then(() => false)
  return Promise.race([waits, ended.then(() => existsSync(`${path}.notes`))])
}

it('one process at a time, also when several find a stale lock at the same time', async () => {
  for (let round = 0; round < 5; round++) {
    const path = leftBehind(heldBy(NOBODY), 60)
    const notes = join(temporaryFolder(), 'notes')
    const holders = Array.from({ length: 6 }, () => spawn(process.execPath, [HOLDER, path, notes, '3']))
    const codes = await Promise.all(holders.map(async (holder) => (await once(holder, 'exit'))[0]))

    expect(codes).toEqual([0, 0, 0, 0, 0, 0])
    const lines = readFileSync(notes, 'utf8').trimEnd().split('\n')
    expect(lines).toHaveLength(36)
    for (let i = 0; i < lines.length; i += 2) expect(lines[i + 1]).toBe(lines[i]?.replace('in', 'out'))
    expect(existsSync(path)).toBe(false)
  }
})

describe('is taken over', () => {
  it.each([
    ['when its process is dead', heldBy(NOBODY), 60],
    ['when half of it was written', '{"pids":[', 60],
    ['when nothing of it was written', '', 60],
    ['when nobody has touched it for minutes, whatever the ids say', heldBy(process.pid), 1000],
    ['when another machine has not touched it for minutes', heldBy(NOBODY, 'elsewhere'), 1000],
  ])('%s', async (_when, text, seconds) => {
    expect(await isTaken(leftBehind(text, seconds))).toBe(true)
  })

  it('when the process that was about to take it over was killed', async () => {
    const path = leftBehind(heldBy(NOBODY), 60)
    mkdirSync(`${path}.stale`)
    utimesSync(`${path}.stale`, 0, 0)
    expect(await isTaken(path)).toBe(true)
  })
})

describe('is waited for', () => {
  it.each([
    ['while its process lives', heldBy(process.pid), 60],
    ['while another machine touches it', heldBy(NOBODY, 'elsewhere'), 60],
    ['while it is being made', '', -60],
  ])('%s', async (_when, text, seconds) => {
    expect(await isTaken(leftBehind(text, seconds))).toBe(false)
  })
})

it('is not removed if somebody has taken it since it was found to be stale', () => {
  const path = leftBehind(heldBy(process.pid), 60)
  removeStale(path)
  expect(existsSync(path)).toBe(true)
})

it('is released when the work fails, and leaves no files', async () => {
  const path = join(temporaryFolder(), 'lock')
  const failure = withLock(path, async (alsoHeldBy) => {
    alsoHeldBy(NOBODY)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pids: [process.pid, NOBODY] })
    throw new Error('it failed')
  })
  await expect(failure).rejects.toThrow('it failed')
  expect(readdirSync(join(path, '..'))).toEqual([])
})
