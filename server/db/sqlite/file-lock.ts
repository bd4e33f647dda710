import { existsSync, truncateSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../lib/app-error.ts'
import { SECOND } from '../../lib/clock.ts'
import { messageOf } from '../../lib/error-text.ts'
import { makeWithOwnerOf } from '../../lib/private-files.ts'
import { isBusy, isDamaged } from './errors.ts'

const BUSY_TIMEOUT_MS = 5 * SECOND // others hold it exclusively for less than a millisecond
const TRIES = 20
/** For others that are starting too, and read the row: not for those that hold it. */
const BRIEF_TRIES = 3
const RETRY_EVERY_MS = 10

/**
 * Lets all processes that use a database agree on its files. It is an SQLite file with one row, which names those files.
 * Who has them open holds a read transaction, and meanwhile nobody can write another row. The operating system releases
 * it when the process is gone, also after a kill, and for processes in different containers too.
 */
export class FileLock {
  readonly #lock: DatabaseSync

  constructor(path: string, database: string) {
    this.#lock = openLock(path, database)
  }

  /** Whether no process has other files open than those of `currentFiles`: another process may be creating them. */
  isFree(currentFiles: () => string): boolean {
    return retry(() => {
      if (!this.#acquireIfSame(currentFiles()) && !this.#tryBeginExclusive()) return false
      this.#lock.exec('rollback')
      return true
    })
  }

  /** Whether no process has the files open. */
  isUnused(): boolean {
    return retry(() => {
      if (!this.#tryBeginExclusive()) return false
      this.#lock.exec('rollback')
      return true
    }, BRIEF_TRIES)
  }

  /** Acquires the lock until it is released. Returns false if a process has other files open. */
  acquire(identity: string, { briefly = false } = {}): boolean {
    return retry(
      () => {
        if (this.#acquireIfSame(identity)) return true
        return this.#write(identity) && this.#acquireIfSame(identity) // somebody else may have written another row in between
      },
      briefly ? BRIEF_TRIES : TRIES,
    )
  }

  /** Acquires the lock alone until it is released: nobody can open the database. False: somebody has it open. */
  acquireAlone(): boolean {
    return retry(() => this.#tryBeginExclusive())
  }

  /** Writes another row, unless others hold the lock too, and releases it. */
  releaseAs(identity: string): void {
    try {
      this.#lock.exec('rollback')
      this.#write(identity)
    } catch {
      // the folder has other troubles: what matters is that the lock is released
    }
    this.release()
  }

  /** The files that were last opened, by whichever process. */
  latest(): string {
    return String(this.#lock.prepare('select "files" from "open"').get()?.['files'] ?? '')
  }

  release(): void {
    if (this.#lock.isOpen) this.#lock.close()
  }

  #write(identity: string): boolean {
    if (!this.#tryBeginExclusive()) return false
    this.#lock.exec('delete from "open"')
    this.#lock.prepare('insert into "open" values (?)').run(identity)
    this.#lock.exec('commit')
    return true
  }

  #acquireIfSame(identity: string): boolean {
    this.#lock.exec('begin')
    if (this.latest() === identity) return true
    this.#lock.exec('rollback')
    return false
  }

  /** Does not wait: SQLite would keep others from reading the row meanwhile. */
  #tryBeginExclusive(): boolean {
    this.#lock.exec('pragma busy_timeout = 0')
    try {
      this.#lock.exec('begin exclusive')
      return true
    } catch (error) {
      if (!isBusy(error)) throw error
      return false
    } finally {
      this.#lock.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
    }
  }
}

function openLock(path: string, database: string): DatabaseSync {
  try {
    if (!existsSync(path)) makeWithOwnerOf(database, path)
    try {
      return openTable(path)
    } catch (error) {
      if (!isDamaged(error)) throw error
      truncateSync(path) // after a power failure: nothing in it outlives the processes
      return openTable(path)
    }
  } catch (error) {
    if (isBusy(error))
      throw new OperatorError(
        `A backup is being restored into the database ${database}: wait until that is done, then try again.`,
        error,
      )
    throw new OperatorError(
      `The lock file ${path} cannot be opened (${messageOf(error)}): check the file and its owner.`,
      error,
    )
  }
}

function openTable(path: string): DatabaseSync {
  const lock = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    lock.exec(
      'pragma journal_mode = memory; pragma synchronous = off; create table if not exists "open" ("files" text)',
    )
    return lock
  } catch (error) {
    lock.close()
    throw error
  }
}

/** For as long as others may need to read the row, or to open or close a database. */
function retry(attempt: () => boolean, most = TRIES): boolean {
  const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  for (let tries = 1; !attempt(); tries++) {
    if (tries === most) return false
    Atomics.wait(never, 0, 0, RETRY_EVERY_MS)
  }
  return true
}
