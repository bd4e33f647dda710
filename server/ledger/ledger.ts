import { setTimeout as pause } from 'node:timers/promises'
import type { RevocationPoint } from '../db/known-point.ts'
import type { RevocationTable } from '../db/revocation-tables.ts'
import type { Logged, RevocationLog } from '../db/revocations.ts'
import { isDamaged, isDiskFull } from '../db/sqlite/errors.ts'
import { FileLock } from '../db/sqlite/file-lock.ts'
import { OperatorError } from '../lib/app-error.ts'
import { SECOND } from '../lib/clock.ts'
import { onceUntilYield } from '../lib/event-loop.ts'
import type { Log } from '../lib/log.ts'
import { createLogSampler } from '../lib/log-sampler.ts'
import { type Addition, type Agreed, isLedgerBusy, LedgerFile } from './ledger-file.ts'

const RETRY_EVERY_MS = 5
const PATIENCE_MS = 2 * SECOND

interface Waiting extends PromiseWithResolvers<Logged> {
  rows: readonly RevocationTable[]
}

/** The ledger of this process. What cannot be written is counted, logged, and copied from the database later. */
export class Ledger implements RevocationLog {
  readonly #log: Log
  readonly #sample = createLogSampler()
  #file: LedgerFile
  #waiting: Waiting[] = []
  #isWriting = false
  failures = 0
  /** By how many revocations it is behind the database, as of the last comparison and the writes since then. */
  behind = 0
  /** Since when no key is accepted, as of the last comparison; null: keys are accepted. */
  heldSince: number | null = null
  readonly use: LedgerUse

  constructor(path: string, log: Log) {
    this.use = new LedgerUse(path)
    this.#log = log
    this.#file = new LedgerFile(path)
  }

  get path(): string {
    return this.#file.path
  }

  get isDurable(): boolean {
    return !this.#file.isInMemory
  }

  /** Undefined also when it cannot be read: then this process relies on what it has seen. Read once for calls that are served together. */
  readonly head = onceUntilYield((): RevocationPoint | undefined => {
    try {
      return this.#file.head()
    } catch (error) {
      this.#failed(error)
      return undefined
    }
  })

  /** Revocations that arrive while others are being written are written together. */
  add(rows: readonly RevocationTable[]): Promise<Logged> {
    const waiting: Waiting = { ...Promise.withResolvers<Logged>(), rows }
    this.#waiting.push(waiting)
    if (!this.#isWriting) void this.#write()
    return waiting.promise
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      const incarnation = incarnationOf(this.#waiting[0])
      const batch = this.#waiting.filter((waiting) => incarnationOf(waiting) === incarnation)
      this.#waiting = this.#waiting.filter((waiting) => incarnationOf(waiting) !== incarnation)
      const rows = batch.flatMap((each) => each.rows)
      const logged = await this.#addNow(incarnation, rows).then(
        (addition) => (addition === 'added' && this.#file.isInMemory ? 'not durable' : addition),
        (error) => {
          this.behind += rows.length
          this.#failed(error)
          return 'not durable' as const
        },
      )
      for (const { resolve } of batch) resolve(logged)
    }
    this.#isWriting = false
  }

  /** Adds what the database has. With `agreed`, the ledger then has everything up to it. Undefined: this failed. */
  async copy(incarnation: number, rows: readonly RevocationTable[], agreed?: Agreed): Promise<Addition | undefined> {
    try {
      const addition = await this.#addNow(incarnation, rows, agreed)
      if (agreed) this.behind = 0
      return addition
    } catch (error) {
      this.behind = Math.max(this.behind, rows.length)
      this.#failed(error)
      return undefined
    }
  }

  /** Throws if it cannot be written; waits for other processes that write. */
  async #addNow(incarnation: number, rows: readonly RevocationTable[], agreed?: Agreed): Promise<Addition> {
    const until = performance.now() + PATIENCE_MS
    for (;;) {
      try {
        this.#requireInPlace()
        return this.#file.add(incarnation, rows, agreed)
      } catch (error) {
        if (!isLedgerBusy(error) || performance.now() > until) throw error
      }
      await pause(RETRY_EVERY_MS)
    }
  }

  /** For comparisons. A file that was removed or replaced is opened anew, and is then behind. */
  get file(): LedgerFile {
    if (this.#file.isReplaced()) this.#openAnew()
    return this.#file
  }

  /** If it fails, it is tried again with the next comparison. */
  #openAnew(): void {
    const before = this.#file
    try {
      this.#file = new LedgerFile(before.path)
      before.close()
    } catch (error) {
      this.#failed(error)
      throw error
    }
  }

  /** What is written to a removed file is lost. */
  #requireInPlace(): void {
    if (this.#file.isReplaced()) throw new Error('The file of the ledger was removed or replaced.')
  }

  #failed(error: unknown): void {
    this.failures++
    const others = this.#sample('ledger')
    if (others !== undefined)
      this.#log.error(
        { err: error, ledger: this.path, ...(others && { others }) },
        isDamaged(error)
          ? 'the ledger is damaged: move its files away, and a new one is written from the database'
          : 'the ledger could not be used; revocations are copied to it later',
      )
  }

  /** Every second, so that it is never long. Another process that writes or reads may make it wait for the next time. */
  checkpoint(): void {
    try {
      this.#file.checkpoint()
    } catch (error) {
      if (!isLedgerBusy(error) && !isDiskFull(error)) this.#failed(error) // on a full disk additions tell
    }
  }

  requireRoom(): void {
    this.#file.requireRoom()
  }

  close(): void {
    this.use.release()
    this.#file.close()
  }
}

/** The incarnation of the database that a transaction was committed in. */
const incarnationOf = (waiting: Waiting | undefined) => waiting?.rows[0]?.incarnation ?? 0

/** Lets all processes that use a ledger agree on one database: a copy of it would take the original for a restore. */
export class LedgerUse {
  readonly #path: string
  #lock: FileLock | undefined
  #database: string | undefined
  /** From then on it is tried again and again, and nothing else runs while it waits. */
  #hasStarted = false

  constructor(ledger: string) {
    this.#path = ledger
  }

  /** Throws while another process uses the ledger with another database. Empty: it is not known which one it is. */
  require(database: string): void {
    if (database === '' || database === this.#database) return
    this.release() // it has moved to another one, and others may wait for that too
    const lock = new FileLock(`${this.#path}.lock`, this.#path)
    if (!lock.acquire(database, { briefly: this.#hasStarted })) {
      lock.release()
      throw new OperatorError(
        `The ledger ${this.#path} is in use by a portal on another database, of which this one is a copy: set LEDGER, or DATA_DIR, to another place for a copy. If the portal is to move to this database, stop it on the other one first.`,
      )
    }
    this.#lock = lock
    this.#database = database
    this.#hasStarted = true
  }

  /** As long as the database cannot be reached, others may move to another one. */
  release(): void {
    this.#lock?.release()
    this.#lock = undefined
    this.#database = undefined
  }
}
