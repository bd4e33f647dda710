import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../test/support/process/portal-process.ts'
import { OperatorError } from '../../lib/app-error.ts'
import { FileLock } from './file-lock.ts'

const HOLDER = fileURLToPath(import.meta.resolve('../../../test/support/process/file-lock-holder.ts'))

const lockIn = (folder: string) => join(folder, 'portal.lock')

function openLock(folder: string): FileLock {
  const lock = new FileLock(lockIn(folder), join(folder, 'portal.db'))
  onTestFinished(() => lock.release())
  return lock
}

/** A process that has these files open, or was refused. */
async function startHolder(folder: string, identity: string) {
  const child = spawn(process.execPath, [HOLDER, lockIn(folder), identity], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => kill(child))
  const [said] = await once(child.stdout, 'data')
  return { said: String(said), kill: () => kill(child) }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

it('any number of processes have the same files open, and no process has others, until the last is killed', async () => {
  const folder = temporaryFolder()
  const holders = [await startHolder(folder, 'old'), await startHolder(folder, 'old')]
  expect(holders.map(({ said }) => said)).toEqual(['held', 'held'])
  const lock = openLock(folder)
  const isFree = () => [lock.isFree(() => 'old'), lock.isFree(() => 'new'), lock.acquire('new')]

  expect(isFree()).toEqual([true, false, false])
  await holders[0]?.kill()
  expect(isFree()).toEqual([true, false, false])
  await holders[1]?.kill()
  expect(isFree()).toEqual([true, true, true])
  expect((await startHolder(folder, 'old')).said).toBe('refused')
  expect((await startHolder(folder, 'new')).said).toBe('held')
})

it('works the same within one process, and is released', () => {
  const folder = temporaryFolder()
  const [first, second, third] = [openLock(folder), openLock(folder), openLock(folder)]
  expect([first.acquire('old'), second.acquire('old'), third.acquire('new')]).toEqual([true, true, false])
  first.release()
  expect(third.acquire('new')).toBe(false)
  second.release()
  expect(third.acquire('new')).toBe(true)
})

it('processes that start at the same time agree, and asking keeps nobody from it', async () => {
  const folder = temporaryFolder()
  const asking = openLock(folder)
  const holders = Promise.all(['a', 'b', 'a', 'b', 'a', 'b'].map((identity) => startHolder(folder, identity)))
  const asked = setInterval(() => asking.isFree(() => 'c'), 1)
  const said = (await holders).map(({ said }) => said)
  clearInterval(asked)

  const agreed = [said.filter((_, i) => i % 2 === 0), said.filter((_, i) => i % 2 === 1)]
  expect(agreed.sort()).toEqual([
    ['held', 'held', 'held'],
    ['refused', 'refused', 'refused'],
  ])
})

it('waits for a process that is about to create its files, or to close them', () => {
  const folder = temporaryFolder()
  openLock(folder).acquire('new')
  const looks = ['none', 'none', 'new']
  expect(openLock(folder).isFree(() => looks.shift() ?? 'new')).toBe(true)
})

it('a lock file that was damaged by a power failure is made anew', () => {
  const folder = temporaryFolder()
  writeFileSync(lockIn(folder), 'garbage '.repeat(1000))
  expect(openLock(folder).acquire('files')).toBe(true)
  expect(openLock(folder).acquire('others')).toBe(false)
})

it('says what to do when the lock file cannot be opened', () => {
  const folder = temporaryFolder()
  mkdirSync(lockIn(folder))
  expect(() => openLock(folder)).toThrow(OperatorError)
  expect(() => openLock(folder)).toThrow(
    /^The lock file .*portal\.lock cannot be opened \(.+\): check the file and its owner\.$/,
  )
})
