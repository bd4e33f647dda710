import type { SelectQueryBuilder } from 'kysely'
import { countRows, countRowsUpTo } from './count.ts'
import type { Database } from './database.ts'
import { isPostgres } from './locks.ts'
import type { Db, Tables } from './tables.ts'

/** Reading this many rows takes a millisecond or two, whatever is computed for each. */
const SHORT = 1000

interface Reader {
  reads: Db
  database: Database
  caller: { organizationId: string }
  isDisconnected?: (() => boolean) | undefined
}

/** Where to run a read that is not a plain page by index: directly, if the `rows` that it may have to read are few, otherwise as a heavy read. */
export async function readsFor<Table extends keyof Tables>(
  reader: Reader,
  rows: (db: Db) => SelectQueryBuilder<Tables, Table, object>,
): Promise<Db> {
  const { reads } = reader
  if (reads.isTransaction) return reads
  if (!isPostgres(reads) && (await countRowsUpTo(reads, rows(reads), SHORT + 1)) <= SHORT) return reads
  return heavyReads(reader)
}

/** Where to run a heavy read. In a transaction it stays there. */
export function heavyReads({ reads, database, caller, isDisconnected }: Reader): Db {
  return reads.isTransaction ? reads : database.heavyRead({ organizationId: caller.organizationId, isDisconnected })
}

/** How many rows match, for a requested `totalCount`; by default all of them do. */
export async function countMatching<Table extends keyof Tables>(
  reader: Reader,
  rows: (db: Db) => SelectQueryBuilder<Tables, Table, object>,
  matching = rows,
): Promise<number> {
  const { reads } = reader
  if (matching !== rows || isPostgres(reads) || reads.isTransaction)
    return countRows(matching(await readsFor(reader, rows)))
  const count = await countRowsUpTo(reads, rows(reads), SHORT + 1)
  return count <= SHORT ? count : countRows(rows(heavyReads(reader)))
}
