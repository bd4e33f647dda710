import type { Database } from './database.ts'
import { isUnavailable } from './errors.ts'
import { KnownPoint } from './known-point.ts'
import type { Transaction } from './transaction.ts'

/** What happens in an open transaction that has parts. */
export interface InsideTransaction {
  db: Transaction
  /** All of it reads and writes in the open transaction. */
  database: Database
  /** Throws if the database could not answer in a part, or has a conflict: all has to run again, or not at all. */
  requireSound(): void
  readonly isToBeSettled: boolean
}

/** What begins a transaction here is a part of the open one, one part after the other. A part that fails is rolled back alone. */
export function insideTransaction(database: Database, db: Transaction): InsideTransaction {
  db.divide({ assumedDurable: database.logsDurably })
  let last: Promise<unknown> = Promise.resolve()
  let failure: { error: unknown } | undefined
  let isToBeSettled = false

  function requireSound(): void {
    if (failure) throw failure.error
  }

  async function part<Result>(work: (db: Transaction) => Promise<Result>): Promise<Result> {
    requireSound() // on a full disk SQLite has rolled back everything, and would commit this alone
    try {
      return await db.inSavepoint(() => work(db))
    } catch (error) {
      if (isUnavailable(error)) failure ??= { error }
      throw error
    }
  }

  return {
    db,
    database: {
      ...database,
      read: db,
      readFor: () => db,
      heavyRead: () => db,
      point: new UncommittedPoint(),
      transaction(work) {
        const mine = last.then(() => part(work))
        last = mine.catch(() => undefined)
        return mine
      },
      async settleRevocations() {
        isToBeSettled = true // not here: it needs a transaction of its own
        return database.logsDurably
      },
    },
    requireSound,
    get isToBeSettled() {
      return isToBeSettled
    },
  }
}

/** Revocations that may yet be rolled back are not learnt, and are no reason for doubts. */
class UncommittedPoint extends KnownPoint {
  override require(): void {}
  override requireBelieved(): void {}
  override learn(): void {}
}
