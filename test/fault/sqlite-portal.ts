import { execFile } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { PORTAL_PROGRAM } from '../support/process/portal-program.ts'
import { ROOT } from '../support/sources.ts'
import { temporaryFolder } from './processes.ts'
import { createReplica, type Replica } from './replica.ts'

const BESIDE = ['-wal', '-shm']
const TRIES = 50
const AGAIN_AFTER_MS = 20
/** In a process of its own: one that has failed keeps its lock on the file. */
const COPY_INTO = `
import { backup, DatabaseSync } from 'node:sqlite'
await backup(new DatabaseSync(process.argv[1]), process.argv[2])`

/** A copy of the database, and when it was made. */
export interface Backup {
  path: string
  start: number
  end: number
}

/** A portal on SQLite whose file can be copied and copied back. */
export interface SqlitePortal extends Replica {
  folder: string
  /** Which of its programs the next start runs. */
  use(program: readonly string[]): void
  /** Makes a backup, while it is running or not. */
  backUp(): Backup
  /** In place of the file, while nothing has it open. */
  copyBack(from: Backup): void
  /** Into the file, as `.restore` of sqlite3 does it: whoever has it open goes on until the log is merged into the file, which may become shorter. */
  copyInto(from: Backup): Promise<void>
  /** What a command printed; undefined: it failed or was killed. */
  command(args: string[], signal?: AbortSignal): Promise<string | undefined>
  remove(): Promise<void>
}

export function createSqlitePortal(first: readonly string[]): SqlitePortal {
  const folder = temporaryFolder()
  const env = { DATA_DIR: folder.path }
  const file = join(folder.path, 'portal.db')
  const programs = new Map<readonly string[], Replica>()
  const replicaOf = (program: readonly string[]) => {
    const known = programs.get(program) ?? createReplica('portal', [...program], env)
    programs.set(program, known)
    return known
  }
  let current = replicaOf(first)
  let backups = 0
  return {
    name: 'portal',
    folder: folder.path,
    use(program) {
      if (current.port() !== undefined) throw new Error('It runs another program.')
      current = replicaOf(program)
    },
    port: () => current.port(),
    start: () => current.start(),
    kill: () => current.kill(),
    stop: () => current.stop(),
    pause: (ms) => current.pause(ms),
    troubles: () => [...programs.values()].flatMap((each) => each.troubles()),
    said: () => current.said(),
    backUp() {
      const start = performance.now()
      const path = join(folder.path, `backup-${++backups}.db`)
      const database = new DatabaseSync(file, { timeout: 5000 })
      database.prepare('vacuum into ?').run(path)
      database.close()
      return { path, start, end: performance.now() }
    },
    copyBack({ path }) {
      for (const each of BESIDE) rmSync(file + each, { force: true })
      rmSync(file)
      copyFileSync(path, file)
    },
    async copyInto({ path }) {
      for (let tries = 1; ; tries++) {
        try {
          await promisify(execFile)(process.execPath, ['--input-type=module', '-e', COPY_INTO, path, file])
          return
        } catch (error) {
          if (tries === TRIES) throw error // it fails while somebody writes
        }
        await pause(AGAIN_AFTER_MS)
      }
    },
    async command(args, signal) {
      const options = { cwd: ROOT, env: { PATH: process.env['PATH'], ...env }, signal, killSignal: 'SIGKILL' as const }
      const program = [PORTAL_PROGRAM, ...args]
      const done = await promisify(execFile)(process.execPath, program, options).catch(() => undefined)
      return done?.stdout
    },
    async remove() {
      await current.kill()
      folder.remove()
    },
  }
}
