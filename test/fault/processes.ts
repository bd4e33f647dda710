import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { ROOT } from '../support/sources.ts'

const START_WITHIN_MS = 30_000
const GREETING = /^Edge Management Portal is at http:\/\/127\.0\.0\.1:(\d+)$/

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A portal as a process of its own, which has greeted. */
export interface PortalProcess {
  port: number
  /** Resolves when it has ended, to what it said on stderr. */
  ended: Promise<{ signal: NodeJS.Signals | null; said: string[] }>
  send(signal: NodeJS.Signals): void
  /** What it has said on stderr: its log. */
  said(): string[]
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
  createInterface(child.stderr).on('line', (line) => said.push(line))
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
  return { port, ended, send: (signal) => child.kill(signal), said: () => said }
}
