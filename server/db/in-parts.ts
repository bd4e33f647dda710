import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { BACKGROUND_WORK } from './connection-waits.ts'
import type { Database } from './database.ts'
import { tryAdvisoryLock } from './locks.ts'
import type { Db } from './tables.ts'
import type { Transaction } from './transaction.ts'

/** Repeats until nothing is found, or another process does the same work. The search locks nothing. */
export async function inParts<Row>(
  database: Database,
  find: (db: Db) => Promise<Row[]>,
  work: (db: Transaction, found: Row[]) => Promise<void>,
  isClosing = () => false,
): Promise<void> {
  while (!isClosing() && (await find(database.read)).length > 0) {
    const isOurs = await database.transaction(
      async (db) => {
        if (!(await tryAdvisoryLock(db))) return false
        const found = await find(db)
        if (found.length > 0) await work(db, found)
        return true
      },
      { organizationId: BACKGROUND_WORK },
    )
    if (!isOurs) return
    await yieldToEventLoop() // requests that have arrived go first
  }
}
