import type { Db } from './tables.ts'

/** A database that is open: a place to read, a way to write, and what is spelled differently in it. */
export interface Database {
  /** Sees every write that was answered before; never waits for one that is under way. */
  readonly read: Db
  readonly columnTypes: ColumnTypes
  /** All or nothing, one at a time with other writers; kept on disk once it returns. */
  transaction<Result>(work: (db: Db) => Promise<Result>): Promise<Result>
  /** Throws unless the database answers. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** How a database spells what all of them have. */
export interface ColumnTypes {
  text: string
  integer: string
  bytes: string
  tableOptions: string
}
