import type { Clock } from '../lib/clock.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { HeavyReads, Requester } from './heavy-reads.ts'
import type { LookedUp, Lookup, LookupColumns, LookupValues } from './lookup.ts'
import type { PostgresTimeouts } from './postgres/timeouts.ts'
import type { Db } from './tables.ts'

/** A database that is open: a place to read, a way to write, and what is spelled differently in it. */
export interface Database {
  /** Sees every write that was answered before; never waits for one that is under way. */
  readonly read: Db
  /** The same on behalf of an organization, where reads have to wait: it takes its turn among those of others. */
  readFor(organizationId: string): Db
  /**
   * The same for queries that may read many rows: counts, filters, searches, sums. Such a read does not block others:
   * it runs off the event loop, has a time limit, and organizations take turns.
   */
  heavyRead(requester: Requester): Db
  readonly columnTypes: ColumnTypes
  /** Which database it is, for the operator. */
  readonly place: string
  /** The clock of all processes on this database: this machine's on SQLite, the server's on PostgreSQL. */
  readonly now: Clock
  /**
   * Looks up who is calling. Run for every request after it has arrived: the answer is never cached.
   */
  lookUp<Columns extends LookupColumns, Row>(
    lookup: Lookup<Columns, Row>,
    values: LookupValues<Columns>,
  ): MaybePromise<LookedUp<Row>>
  readonly lookups: LookupCounts
  /**
   * All or nothing, durable once it returns. Work that conflicts with another transaction runs again from its
   * beginning, so it may change nothing but the database.
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
  /** No time limit: migrations. */
  noTimeout?: boolean
  /** On whose behalf: where transactions have to wait, it takes its turn among those of others. */
  organizationId?: string
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
