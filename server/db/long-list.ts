import type { SelectQueryBuilder } from 'kysely'
import { countRows, countRowsUpTo } from './count.ts'
import type { Database } from './database.ts'
import { isPostgres } from './locks.ts'
import type { Db, Tables } from './tables.ts'

/** So many rows are gone through in a millisecond or two, whatever is asked of each. */
const SHORT = 1000

/** As far as it concerns reading: a Ctx has all of it. */
interface Reader {
  db: Db
  database: Database
  caller: { organizationId: string }
  isGone?: (() => boolean) | undefined
}

/**
 * Where to read what is not a plain page by index. The rows are all that such a read may have to go through: where they are
 * few it is done at once, else it is a heavy read.
 */
export async function readerFor<Table extends keyof Tables>(
  reader: Reader,
  rows: (db: Db) => SelectQueryBuilder<Tables, Table, object>,
): Promise<Db> {
  const { db, database } = reader
  if (db !== database.read) return db // a transaction
  if (!isPostgres(db) && (await countRowsUpTo(db, rows(db), SHORT + 1)) <= SHORT) return db
  return heavyReadOf(reader)
}

/** Where to read what goes through many rows. Inside a transaction it stays there. */
export function heavyReadOf({ db, database, caller, isGone }: Reader): Db {
  return db === database.read ? database.heavyRead({ organizationId: caller.organizationId, isGone }) : db
}

/** How many rows match, for a `totalCount` that somebody asked for; by default all of them do. */
export async function countMatching<Table extends keyof Tables>(
  reader: Reader,
  rows: (db: Db) => SelectQueryBuilder<Tables, Table, object>,
  matching = rows,
): Promise<number> {
  const { db, database } = reader
  if (matching !== rows || isPostgres(db) || db !== database.read)
    return countRows(matching(await readerFor(reader, rows)))
  const count = await countRowsUpTo(db, rows(db), SHORT + 1)
  return count <= SHORT ? count : countRows(rows(heavyReadOf(reader)))
}
