import type { ColumnTypes } from './migrate.ts'
import { openSqlite } from './sqlite.ts'
import type { Db } from './tables.ts'

/** A database that is open: a place to read, a way to write, and what is spelled differently in it. */
export interface Database {
  /** Sees every write that was answered before; never waits for one that is under way. */
  readonly read: Db
  readonly columnTypes: ColumnTypes
  /** All or nothing, one at a time with other writers; kept on disk once it returns. */
  transaction<Result>(work: (db: Db) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Opens the embedded database in its folder, and makes it on the first start. */
export function openDatabase({ dataDir }: { dataDir: string }): Database {
  return openSqlite(dataDir)
}
