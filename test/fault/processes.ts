import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ROOT } from '../support/sources.ts'

const START_WITHIN_MS = 120_000
const GREETING = /^Edge Management Portal is at http:\/\/127\.0\.0\.1:(\d+)$/

const running = new Set<ChildProcess>()
const folders = new Set<string>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A folder that is gone with this process at the latest. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'portal-fault-'))
  folders.add(path)
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true })
      folders.delete(path)
    },
  }
}

/** A portal as a process of its own, which has greeted. */
export interface PortalProcess {
  pid: number | undefined
  port: number
  /** Resolves when it has ended, to what it said on stderr. */
  ended: Promise<{ signal: NodeJS.Signals | null; said: string[] }>
  kill(): void
  /** SIGTERM: it closes in order. */
  stop(): void
  /** SIGSTOP, and SIGCONT after this time, also when nobody is there any more to send it. */
  pause(ms: number): Promise<void>
  /** What it has said on stderr: its log. */
  said(): string[]
  /** Called with each line that it says from now on. */
  onSaid(handle: (line: string) => void): void
}

export class StartFailed extends Error {}

/** Starts Node.js on a file that greets as the portal does; throws when it ends before. Gone with this process at the latest. */
export async function startPortalProcess(args: string[], env: Record<string, string>): Promise<PortalProcess> {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      npm_lifecycle_event: 'test', // it stops by itself when whoever started it is gone
      PORT: '0',
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'error',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const said: string[] = []
  const errors = createInterface(child.stderr).on('line', (line) => said.push(line))
  const ended = once(child, 'close').then(([, signal]) => {
    running.delete(child)
    return { signal, said }
  })
  const { promise: greeted, resolve } = Promise.withResolvers<number>()
  createInterface(child.stdout).on('line', (line) => {
    const [, port] = GREETING.exec(line) ?? []
    if (port) resolve(Number(port))
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), START_WITHIN_MS)
  const failed = ended.then(() => Promise.reject(new StartFailed(`It does not start: ${said.join('\n')}`)))
  const port = await Promise.race([greeted, failed]).finally(() => clearTimeout(timer))
  failed.catch(() => {}) // from here on its end is no failure
  return {
    pid: child.pid,
    port,
    ended,
    kill: () => void child.kill('SIGKILL'),
    stop: () => void child.kill('SIGTERM'),
    pause: (ms) => pauseProcess(child, ms),
    said: () => said,
    onSaid: (handle) => void errors.on('line', handle),
  }
}

const PAUSE = 'kill -STOP "$1"; sleep "$2"; kill -CONT "$1"'

async function pauseProcess({ pid }: ChildProcess, ms: number): Promise<void> {
  const shell = spawn('sh', ['-c', PAUSE, 'sh', String(pid), String(ms / 1000)], { stdio: 'ignore', detached: true })
  await once(shell, 'exit')
}
