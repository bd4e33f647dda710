import { type BigIntStats, existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError, OperatorError } from '../../lib/app-error.ts'
import type { OpenOptions } from '../database.ts'
import { Checkpoints } from './checkpoints.ts'
import { FileLock } from './file-lock.ts'

export const LOCK_FILE = 'portal.lock'
/** Shorter than any other process needs to start, so that none answers on other files before this one has noticed. */
const CHECK_EVERY_MS = 100

type OpenFilesOptions = Pick<OpenOptions, 'checkFilesEveryMs' | 'onLost'>

/** Whether open files still are those of the database. Once they are not, all is refused, for good, and other processes may use what is there. */
export class OpenFiles {
  readonly #path: string
  #beside: FilesBeside
  readonly #lockPath: string
  readonly #options: OpenFilesOptions
  readonly #lock: FileLock
  #checkpoints: Checkpoints | undefined
  #timer: NodeJS.Timeout | undefined
  #identity = ''
  #size = 0n
  isReplaced = false
  /** The last process has not closed the database. What was copied into the file since then shows in nothing but its content. */
  readonly wasLeftOpen: boolean

  /** Before the connections: opening the files would already apply a write-ahead log that belongs to others. */
  constructor(path: string, options: OpenFilesOptions = {}) {
    this.#path = path
    this.#beside = filesBeside(path)
    this.#options = options
    this.#lockPath = join(dirname(path), LOCK_FILE)
    this.#lock = new FileLock(this.#lockPath, path)
    const currentFiles = () => {
      this.#identity = this.#stat().identity
      return this.#identity
    }
    if (!this.#lock.isFree(currentFiles)) this.#refuse(ANOTHER_IS_RUNNING)
    if (this.#hasLogOfPrevious()) this.#refuse(LOG_OF_PREVIOUS)
    this.wasLeftOpen = this.#hasLog() && this.#lock.isUnused()
  }

  /** For connections that have read, and so have opened all files. */
  watch(): void {
    const [before] = this.#identity.split(' ')
    this.#beside = filesBeside(this.#path)
    this.#identity = this.#stat().identity
    const isSameDatabase = before === NO_FILE || this.#identity.startsWith(`${before} `) // from before they opened it
    if (!isSameDatabase || !this.#lock.acquire(this.#identity)) this.#refuse(ANOTHER_IS_RUNNING)
    this.#checkpoints = new Checkpoints(this.#beside.index)
    this.check() // against which later ones compare
    this.#timer = setInterval(() => this.check(), this.#options.checkFilesEveryMs ?? CHECK_EVERY_MS).unref()
  }

  /** Looks at the files, which takes some microseconds. */
  check(): void {
    if (this.isReplaced) return
    const progress = this.#checkpoints?.progress()
    const { identity, size, writtenAt } = this.#stat()
    const isOverwritten = progress ? this.#checkpoints?.explain(progress, writtenAt) === false : size < this.#size
    if (identity !== this.#identity) this.#fail()
    else if (isOverwritten) this.#fail({ isOverwritten })
    else this.#size = size
  }

  /** Throws if the files were replaced before this moment. */
  requireSameNow(): void {
    this.check()
    this.requireSame()
  }

  /** Throws if it is known that the files were replaced. */
  requireSame(): void {
    if (this.isReplaced) throw new AppError('UNAVAILABLE', { message: REPLACED, retryAfterSeconds: 1 })
  }

  /** After the connections. */
  close(): void {
    this.#stop()
    this.#checkpoints?.close()
    this.#checkpoints = undefined
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#lock.release()
  }

  /** If the log, its index or the lock were deleted alone, processes that start later would create others, and not see this one. */
  #stat(): { identity: string; size: bigint; writtenAt: bigint } {
    const { log, index } = this.#beside
    const files = [this.#path, log, index, this.#lockPath].map(statOf)
    const [database] = files
    return { identity: identityOf(files), size: database?.size ?? 0n, writtenAt: database?.mtimeNs ?? 0n }
  }

  #fail({ isOverwritten = false } = {}): void {
    this.isReplaced = true
    // Another content in the same file counts as another file, so that the next start does not apply the log to it.
    if (isOverwritten) this.#lock.releaseAs(this.#identity.replace(/^\S+/, NO_FILE))
    this.#stop()
    this.#options.onLost?.(
      new OperatorError(
        `The database ${this.#path} was replaced, removed or truncated while the portal was running on it: start the portal again.`,
      ),
    )
  }

  /** SQLite would apply it to a database that it does not fit. In a copied folder the lock is another file, too. */
  #hasLogOfPrevious(): boolean {
    const [previous, previousLog, , previousLock] = this.#lock.latest().split(' ')
    const [database, log, , lock] = this.#identity.split(' ')
    const isLogOfPrevious = log !== NO_FILE && log === previousLog && lock === previousLock
    return database !== previous && isLogOfPrevious && this.#hasLog()
  }

  #hasLog(): boolean {
    return (statOf(this.#beside.log)?.size ?? 0n) > 0n
  }

  #refuse(reason: string): never {
    this.close()
    throw new OperatorError(`The database ${this.#path} was replaced ${reason}`)
  }
}

const ANOTHER_IS_RUNNING =
  'while a portal or a command is running on the previous one: stop that one, which otherwise stops by itself within a second unless it is suspended, and try again.'
const LOG_OF_PREVIOUS =
  'but not the files beside it: remove portal.db-wal and portal.db-shm, which belong to the previous one, or put that one back.'
const REPLACED =
  'The database was replaced, removed or truncated in the meantime, so this may not be done. Try again in a moment.'

/** The files that SQLite has beside a database: beside the file itself, not beside a symbolic link to it. */
export interface FilesBeside {
  /** The write-ahead log. */
  log: string
  /** The index of the write-ahead log. */
  index: string
}

export function filesBeside(path: string): FilesBeside {
  const file = existsSync(path) ? realpathSync(path) : path
  return { log: `${file}-wal`, index: `${file}-shm` }
}

const NO_FILE = 'none'

/** Device and inode of these files. */
export const identityOf = (files: readonly (BigIntStats | undefined)[]) =>
  files.map((file) => (file ? `${file.dev}:${file.ino}` : NO_FILE)).join(' ')

export function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined // out of reach
  }
}
