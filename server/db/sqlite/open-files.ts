import { type BigIntStats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError, OperatorError } from '../../lib/app-error.ts'
import type { OpenOptions } from '../database.ts'
import { FileLock } from './file-lock.ts'

const LOCK_FILE = 'portal.lock'
/**
 * With the write-ahead log and its index: if they are deleted alone, processes that start later create others, and do
 * not see what this one writes.
 */
const SUFFIXES = ['', '-wal', '-shm']
const CHECK_EVERY_MS = 300

type OpenFilesOptions = Pick<OpenOptions, 'checkFilesEveryMs' | 'onLost'>

/**
 * The files that the connections of this process have open, and whether they still are those of the database. Once they
 * are not, every read and write is refused, for good, and other processes may use the files that are there now.
 */
export class OpenFiles {
  readonly #path: string
  readonly #options: OpenFilesOptions
  readonly #lock: FileLock
  #timer: NodeJS.Timeout | undefined
  #identity: string
  #size = 0n // of the database: never shrinks by itself, since it is never vacuumed
  isReplaced = false

  /** Before the connections: opening the files would already apply a write-ahead log that belongs to others. */
  constructor(path: string, options: OpenFilesOptions = {}) {
    this.#path = path
    this.#options = options
    this.#lock = new FileLock(join(dirname(path), LOCK_FILE), path)
    this.#identity = lookAt(path).identity
    if (!this.#lock.isFree(this.#identity)) this.#refuse()
  }

  /** For connections that have read, and so have opened all files. */
  watch(): void {
    const [before] = this.#identity.split(' ')
    this.#identity = lookAt(this.#path).identity
    const [database] = this.#identity.split(' ')
    const isOther = before !== NO_FILE && before !== database
    if (isOther || !this.#lock.hold(this.#identity)) this.#refuse()
    this.requireSameNow()
    this.#timer = setInterval(() => this.check(), this.#options.checkFilesEveryMs ?? CHECK_EVERY_MS).unref()
  }

  /** Looks at the files, which takes some microseconds. */
  check(): void {
    if (!this.isReplaced && !this.#isSame()) this.#fail()
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

  close(): void {
    clearInterval(this.#timer)
    this.#lock.release()
  }

  #isSame(): boolean {
    const { identity, size } = lookAt(this.#path)
    if (identity !== this.#identity || size < this.#size) return false
    this.#size = size
    return true
  }

  #fail(): void {
    this.isReplaced = true
    this.close()
    this.#options.onLost?.(
      new OperatorError(
        `The database ${this.#path} was replaced, removed or truncated while the portal was running on it: start the portal again.`,
      ),
    )
  }

  #refuse(): never {
    this.close()
    throw new OperatorError(
      `The database ${this.#path} was replaced while a portal is running on the previous one: stop that one, which otherwise stops by itself within a second, and try again.`,
    )
  }
}

const REPLACED =
  'The database was replaced, removed or truncated in the meantime, so this may not be done. Try again in a moment.'

const NO_FILE = 'none'

/** Device and inode of each file, and the size of the database. */
function lookAt(path: string): { identity: string; size: bigint } {
  const files = SUFFIXES.map((suffix) => statOf(path + suffix))
  return {
    identity: files.map((file) => (file ? `${file.dev}:${file.ino}` : NO_FILE)).join(' '),
    size: files[0]?.size ?? 0n,
  }
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined // out of reach
  }
}
