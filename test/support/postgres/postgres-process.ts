import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { databaseUser } from './postgres-binaries.ts'

const WITHIN_MS = 30_000
const READY = /ready to accept (read-only )?connections/
const KEPT = 20_000

export type Postmaster = Awaited<ReturnType<typeof startPostmaster>>

/** Runs a program of PostgreSQL to its end. */
export async function runToEnd(program: string, args: string[], folder: string): Promise<void> {
  const child = spawnAsDatabaseUser(program, args, folder, { timeout: WITHIN_MS })
  const message = gather(child)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} failed: ${message()}`)
}

/** A postmaster that takes connections, until it is told to end; `watch` learns its number at once, and of its end. */
export async function startPostmaster(
  program: string,
  args: string[],
  folder: string,
  watch: (pid: number | undefined) => void,
) {
  const child = spawnAsDatabaseUser(program, args, folder)
  watch(child.pid)
  const message = gather(child)
  // Every process of the server holds its stderr, so this is the end of the last of them.
  const ended = once(child, 'close').finally(() => watch(undefined))
  const ready = new Promise<void>((resolve) => {
    child.stderr?.on('data', () => READY.test(message()) && resolve())
  })
  const failed = () => new Error(`PostgreSQL did not start: ${message()}`)
  await Promise.race([ready, ended.then(() => Promise.reject(failed())), giveUp(failed)])
  return {
    pid: Number(child.pid),
    ended,
    message,
    /** Comes back when the last process of the server is gone. */
    end: async (signal: NodeJS.Signals) => {
      child.kill(signal)
      await Promise.race([ended, giveUp(() => new Error(`PostgreSQL does not end: ${message()}`))])
    },
  }
}

/** In a session of its own: Ctrl-C is not meant for it. */
const spawnAsDatabaseUser = (program: string, args: string[], folder: string, options: { timeout?: number } = {}) =>
  spawn(program, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...databaseUser(),
    ...options,
  })

/** The last that a program has said. */
function gather(child: ChildProcess): () => string {
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      said = (said + chunk).slice(-KEPT)
    })
  }
  return () => said
}

async function giveUp(error: () => Error): Promise<never> {
  await setTimeout(WITHIN_MS, undefined, { ref: false })
  throw error()
}
