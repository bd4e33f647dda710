import type { Database } from './database.ts'
import { isUnavailable } from './errors.ts'
import { KnownPoint } from './known-point.ts'
import { deferNothing } from './locks.ts'
import { assumeDurable } from './revocations.ts'
import { inSavepoint } from './savepoint.ts'
import type { Db } from './tables.ts'

/** What happens in an open transaction that has parts. */
interface InsideTransaction {
  /** All of it reads and writes in the open transaction. */
  database: Database
  /** Throws if the database could not answer in a part, or has a conflict: all has to run again, or not at all. */
  requireSound(): void
  /** Whether revocations have to be settled after the transaction. */
  readonly isToBeSettled: boolean
}

/**
 * The database as it is seen from inside an open transaction: what begins a transaction there is a part of the open one,
 * one part after the other. A part that fails is rolled back alone.
 */
export function insideTransaction(database: Database, db: Db): InsideTransaction {
  deferNothing(db)
  assumeDurable(db, database.logsDurably)
  let last: Promise<unknown> = Promise.resolve()
  let failure: { error: unknown } | undefined
  let isToBeSettled = false

  function requireSound(): void {
    if (failure) throw failure.error
  }

  async function part<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    requireSound() // on a full disk SQLite has rolled back everything, and would commit this alone
    try {
      return await inSavepoint(db, work)
    } catch (error) {
      if (isUnavailable(error)) failure ??= { error }
      throw error
    }
  }

  return {
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
