import type { SelectQueryBuilder } from 'kysely'
import { countRows } from './count.ts'
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

type Rows = SelectQueryBuilder<Tables, keyof Tables, object>

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
  if (!isPostgres(db) && (await countUpToShort(db, rows(db))) <= SHORT) return db
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
  const count = await countUpToShort(db, rows(db))
  return count <= SHORT ? count : countRows(rows(heavyReadOf(reader)))
}

/** Reads no more rows than it takes to know whether they are few. */
function countUpToShort<Table extends keyof Tables>(db: Db, rows: SelectQueryBuilder<Tables, Table, object>) {
  const some = rows.select((eb) => eb.lit(1).as('one')).limit(SHORT + 1)
  return countRows(db.selectFrom(some.as('device')) as unknown as Rows) // any name does
}
