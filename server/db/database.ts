import type { Clock } from '../lib/clock.ts'
import type { Asker, HeavyReads } from './heavy-reads.ts'
import type { Lookup, LookupColumns, LookupValues } from './lookup.ts'
import type { PostgresTimeouts } from './postgres-timeouts.ts'
import type { Db } from './tables.ts'

/** A database that is open: a place to read, a way to write, and what is spelled differently in it. */
export interface Database {
  /** Sees every write that was answered before; never waits for one that is under way. */
  readonly read: Db
  /**
   * The same for what may go through many rows: counts, filters, searches, sums. Such a read holds up nobody else: it is run
   * beside the event loop, has a time limit, and takes its turn among those of other organizations.
   */
  heavyRead(asker: Asker): Db
  readonly columnTypes: ColumnTypes
  /** Which one it is, in words for whoever runs the machine. */
  readonly place: string
  /** The clock of all who use this database: this machine's on SQLite, the server's on PostgreSQL. */
  readonly now: Clock
  /**
   * Asks who is calling, with what time it is for the verdict on end dates. Asked anew for every request and after it has
   * come: the answer is never kept.
   */
  lookUp<Columns extends LookupColumns, Row>(
    lookup: Lookup<Columns, Row>,
    values: LookupValues<Columns>,
  ): Promise<{ row: Row | undefined; now: number }>
  readonly lookups: LookupCounts
  /**
   * All or nothing, kept on disk once it returns. Work that met another transaction in its way is run again from its
   * beginning, so nothing but the database may be changed in it.
   */
  transaction<Result>(work: (db: Db) => Promise<Result>, options?: TransactionOptions): Promise<Result>
  /** Throws unless the database answers. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** What a test asks for that is not as in production. */
export interface OpenOptions {
  now?: Clock | undefined
  timeouts?: Partial<PostgresTimeouts> | undefined
  heavyReads?: Partial<HeavyReads> | undefined
}

export interface TransactionOptions {
  /** It may take as long as it takes: migrations. */
  unhurried?: boolean
  /** Others like it follow at once, and the last of them brings all to the disk: one wait for the disk in place of many. */
  moreFollows?: boolean
}

/** How many lookups were asked for, and by how many queries they were answered. */
export interface LookupCounts {
  asked: number
  queries: number
}

/** How a database spells what all of them have. */
export interface ColumnTypes {
  text: string
  integer: string
  bytes: string
  tableOptions: string
}
