import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Reply } from './message.ts'

const STOP_MS = 5000
const PROBE = fileURLToPath(import.meta.resolve('./probe.ts'))

const running = new Set<ChildProcess>()
const folders = new Set<string>()

export interface Child {
  process: ChildProcess
  /** Its output so far. */
  printed(): string
  hasExpired(): boolean
  /** Stops it cleanly, or by force if that takes too long. */
  stop(): Promise<void>
}

interface Start {
  name: string
  /** For Node.js: the file to run and what follows it. */
  args: string[]
  env?: Record<string, string>
  /** Whether it answers `ask`: our own processes do, any other with the probe in it. */
  answers: 'by itself' | 'by probe' | 'never'
}

/** A folder that is deleted when the bench ends. */
export function temporaryFolder(within = tmpdir()): string {
  const folder = mkdtempSync(join(within, 'portal-bench-'))
  folders.add(folder)
  return folder
}

/** Starts Node.js on a file, with a clean environment; its output goes to a file, as a service's log does. */
export function startChild(folder: string, { name, args, env = {}, answers }: Start): Child {
  const log = join(folder, `${name}.log`)
  const out = openSync(log, 'a')
  const child = spawn(process.execPath, [...(answers === 'by probe' ? ['--import', PROBE] : []), ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', out, out, ...(answers === 'never' ? [] : (['ipc'] as const))],
  })
  closeSync(out)
  running.add(child)
  child.once('exit', () => running.delete(child))
  return {
    process: child,
    printed: () => readFileSync(log, 'utf8').slice(-2000),
    hasExpired: () => hasExpired(child),
    stop: () => stop(child),
  }
}

const hasExpired = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  for (const end = performance.now() + STOP_MS; !hasExpired(child) && performance.now() < end; ) await pause(5)
  if (!hasExpired(child)) child.kill('SIGKILL')
}

/** Sends a question to one of our processes, one at a time. */
export async function ask<Answer>(child: Child, question: string | object, timeoutMs = 5000): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply<Answer>>()
  const gone = () => reject(new Error(`A process ended too early: ${child.printed()}`))
  const timer = setTimeout(() => reject(new Error('A process of the bench does not answer.')), timeoutMs)
  child.process.once('message', resolve).once('exit', gone)
  child.process.send(question)
  try {
    const reply = await promise
    if ('error' in reply) throw new Error(reply.error)
    return reply.answer
  } finally {
    clearTimeout(timer)
    child.process.off('message', resolve).off('exit', gone)
  }
}

/** Removes all processes and folders, however the bench ends. */
export function cleanUpOnExit(): void {
  process.on('exit', () => {
    for (const child of running) child.kill('SIGKILL')
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })
  for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
    process.on(signal, () => process.exit(code))
  }
}
