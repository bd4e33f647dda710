import { AppError } from '../lib/app-error.ts'
import type { Database } from './database.ts'
import type { RevocationTable } from './revocation-tables.ts'
import type { Transaction } from './transaction.ts'

/** What became of revocations outside of the database. Superseded: they were committed in one that has been replaced. */
export type Logged = 'added' | 'superseded' | 'not durable'

/** A record of revocations outside of the database. */
export interface RevocationLog {
  /** Whether it outlives this process. */
  readonly isDurable: boolean
  /** Returns once they are on disk, or that has failed. */
  add(rows: readonly RevocationTable[]): Promise<Logged>
}

/** Every recorded revocation is also in the log before its transaction returns. While answers are not believed, nothing is written. */
export function loggingRevocations(database: Database, log: RevocationLog): Database {
  const { point } = database
  return {
    ...database,
    logsDurably: log.isDurable,
    async ping() {
      point.requireBelieved()
      await database.ping()
    },
    async transaction(work, options) {
      point.requireBelieved()
      let inside: Transaction | undefined
      const result = await database.transaction((transaction) => {
        inside = transaction
        return work(transaction)
      }, options)
      if (!inside?.revokes) return result
      const { revoked, receipt } = inside
      for (const row of revoked) point.learn(row)
      const logged = await log.add(revoked)
      if (logged === 'superseded') {
        database.point.doubt()
        throw replaced()
      }
      receipt.durable = logged === 'added'
      return result
    },
  }
}

/** Others already use the new database, which does not have this revocation yet: it may not be answered. */
const replaced = () =>
  new AppError('UNAVAILABLE', {
    retryAfterSeconds: 1,
    cause: new Error('The transaction was committed in a database that has been replaced.'),
  })
