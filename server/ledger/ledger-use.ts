import { FileLock } from '../db/sqlite/file-lock.ts'
import { OperatorError } from '../lib/app-error.ts'

/**
 * Lets all processes that use a ledger agree on one database. A copy of it, such as one to try a restore with, has the
 * same installation: with the ledger of the original it would take for a restore what happens there, and the original
 * what happens in the copy.
 */
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
    if (!lock.hold(database, { briefly: this.#hasStarted })) {
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
