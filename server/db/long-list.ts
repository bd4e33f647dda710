import type { SelectQueryBuilder } from 'kysely'
import { countRows, countRowsUpTo } from './count.ts'
import type { Database } from './database.ts'
import { isPostgres } from './locks.ts'
import type { Db, Tables } from './tables.ts'

/** Reading this many rows takes a millisecond or two, whatever is computed for each. */
const SHORT = 1000

/** The part of Ctx that reading needs. */
interface Reader {
  db: Db
  database: Database
  caller: { organizationId: string }
  isDisconnected?: (() => boolean) | undefined
}

/**
 * Where to run a read that is not a plain page by index. `rows` selects everything that it may have to read: if they
 * are few, it runs directly, otherwise as a heavy read.
 */
export async function readerFor<Table extends keyof Tables>(
  reader: Reader,
  rows: (db: Db) => SelectQueryBuilder<Tables, Table, object>,
): Promise<Db> {
  const { db } = reader
  if (db.isTransaction) return db
  if (!isPostgres(db) && (await countRowsUpTo(db, rows(db), SHORT + 1)) <= SHORT) return db
  return heavyReadOf(reader)
}

/** Where to run a heavy read. In a transaction it stays there. */
export function heavyReadOf({ db, database, caller, isDisconnected }: Reader): Db {
  return db.isTransaction ? db : database.heavyRead({ organizationId: caller.organizationId, isDisconnected })
}

/** How many rows match, for a requested `totalCount`; by default all of them do. */
export async function countMatching<Table extends keyof Tables>(
  reader: Reader,
  rows: (db: Db) => SelectQueryBuilder<Tables, Table, object>,
  matching = rows,
): Promise<number> {
  const { db } = reader
  if (matching !== rows || isPostgres(db) || db.isTransaction) return countRows(matching(await readerFor(reader, rows)))
  const count = await countRowsUpTo(db, rows(db), SHORT + 1)
  return count <= SHORT ? count : countRows(rows(heavyReadOf(reader)))
}
