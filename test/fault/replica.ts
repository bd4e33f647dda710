import { setTimeout as pause } from 'node:timers/promises'
import { buildWeb } from '../../scripts/build-web.js'
import { PORTAL_PROGRAM } from '../support/portal-program.ts'
import type { Target } from './client.ts'
import { type PortalProcess, StartFailed, startPortalProcess } from './processes.ts'

const TRIES = 60
const BETWEEN_TRIES_MS = 250

let web: Promise<unknown> | undefined

/** What runs: the portal as it is, unless a fault is planted. */
export const PORTAL = [PORTAL_PROGRAM, 'serve']

/** A portal under a supervisor: it can be paused, killed and started again. */
export interface Replica extends Target {
  readonly name: string
  /** Until it greets; while the database is away it is tried again. */
  start(): Promise<void>
  /** kill -9; back when it is gone. */
  kill(): Promise<void>
  /** SIGTERM; back when it has closed in order. */
  stop(): Promise<void>
  /** SIGSTOP, and SIGCONT when the time is over. */
  pause(ms: number): Promise<void>
  /** What it should not have done: ended by itself, or logged an error. */
  troubles(): string[]
}

export function createReplica(name: string, args: string[], env: Record<string, string>): Replica {
  let current: PortalProcess | undefined
  const troubles: string[] = []

  const start = async () => {
    web ??= buildWeb() // beforehand, and once: every start would look whether it is current
    await web
    for (let tries = 1; ; tries++) {
      try {
        const started = await startPortalProcess(args, env)
        current = started
        void started.ended.then(({ signal, said }) => {
          const wasStopped = current !== started
          if (current === started) current = undefined
          if (!wasStopped && signal !== 'SIGKILL') troubles.push(`${name} ended by itself`)
          troubles.push(...complaints(name, said))
        })
        return
      } catch (error) {
        if (!(error instanceof StartFailed) || tries === TRIES) throw error
      }
      await pause(BETWEEN_TRIES_MS)
    }
  }
  return {
    name,
    port: () => current?.port,
    start,
    async kill() {
      const killed = current
      current = undefined
      killed?.kill()
      await killed?.ended
    },
    async stop() {
      const stopped = current
      current = undefined
      stopped?.stop()
      await stopped?.ended
    },
    pause: async (ms) => current?.pause(ms),
    troubles: () => [...troubles, ...complaints(name, current?.said() ?? [])],
  }
}

/** That it could not answer, and said so to the caller, is logged with the request and is no trouble. */
const complaints = (name: string, said: string[]) =>
  said.filter((line) => !line.includes('"status":503')).map((line) => `${name} logged ${line}`)
