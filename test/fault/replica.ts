import { setTimeout as pause } from 'node:timers/promises'
import { buildWeb } from '../../scripts/build-web.js'
import { PORTAL_PROGRAM } from '../support/process/portal-program.ts'
import type { Target } from './client.ts'
import { type PortalProcess, StartFailed, startPortalProcess } from './processes.ts'

const TRIES = 60
const BETWEEN_TRIES_MS = 250

let web: Promise<unknown> | undefined

/** What runs: the portal as it is, unless a fault is planted. */
export const PORTAL = [PORTAL_PROGRAM, 'serve']

/** A portal under a supervisor: it can be paused, killed and started again, and is when it ends by itself, which is a trouble. */
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
  /** The log of the process that runs, with the requests that it could not answer. */
  said(): string[]
}

export function createReplica(name: string, args: string[], env: Record<string, string>): Replica {
  let current: PortalProcess | undefined
  let starting = Promise.resolve()
  const troubles: string[] = []

  const startNow = async () => {
    web ??= buildWeb() // beforehand, and once: every start would look whether it is current
    await web
    for (let tries = 1; ; tries++) {
      try {
        const started = await startPortalProcess(args, env)
        current = started
        void started.ended.then(({ signal, said }) => {
          troubles.push(...complaints(name, said))
          if (current !== started) return
          if (signal !== 'SIGKILL') troubles.push(`${name} ended by itself`)
          current = undefined
          void start().catch((error) => troubles.push(`${name} was not started again: ${error}`))
        })
        return
      } catch (error) {
        if (!(error instanceof StartFailed) || tries === TRIES) throw error
      }
      await pause(BETWEEN_TRIES_MS)
    }
  }
  const start = () => {
    starting = startNow()
    return starting
  }
  /** The process that runs, or is about to: from here on its end is no trouble. */
  const takeCurrent = async () => {
    await starting.catch(() => {})
    const taken = current
    current = undefined
    return taken
  }
  return {
    name,
    port: () => current?.port,
    start,
    async kill() {
      const killed = await takeCurrent()
      killed?.kill()
      await killed?.ended
    },
    async stop() {
      const stopped = await takeCurrent()
      stopped?.stop()
      await stopped?.ended
    },
    pause: async (ms) => current?.pause(ms),
    troubles: () => [...troubles, ...complaints(name, current?.said() ?? [])],
    said: () => current?.said() ?? [],
  }
}

/** A request that it could not answer, and said so to the caller, is logged and is no trouble. */
const complaints = (name: string, said: string[]) =>
  said.filter((line) => !line.includes('"status":503')).map((line) => `${name} logged ${line}`)
