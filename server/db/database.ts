import type { OperatorError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import type { HeavyReads, Requester } from './heavy-reads.ts'
import type { KnownPoint } from './known-point.ts'
import type { LookedUp, Lookup, LookupColumns, LookupValues } from './lookup.ts'
import type { PostgresTimeouts } from './postgres/timeouts.ts'
import type { Db } from './tables.ts'
import type { Transaction } from './transaction.ts'

export interface Database {
  /** Reads see every write that was answered before, and never wait for one in progress. */
  readonly read: Db
  /** Reads for one organization: when connections are scarce, organizations take turns. */
  readFor(organizationId: string): Db
  /** For counts, filters, searches, sums: off the event loop, with a time limit, and organizations take turns. */
  heavyRead(requester: Requester): Db
  readonly columnTypes: ColumnTypes
  readonly location: string
  /** The clock of all processes on this database: this machine's on SQLite, the server's on PostgreSQL. */
  readonly now: Clock
  /** Looks up who is calling. Run for every request after it has arrived: the answer is never cached. */
  lookUp<Columns extends LookupColumns, Row>(
    lookup: Lookup<Columns, Row>,
    values: LookupValues<Columns>,
  ): Promise<LookedUp<Row>>
  readonly lookups: LookupCounts
  /** The process before this one ended without closing it: so what is in it has to be checked in full. */
  readonly wasLeftOpen: boolean
  /** How far the revocations of this database have come, as seen by this process. */
  readonly point: KnownPoint
  /** All or nothing, durable once it returns. Work that conflicts with another runs again, so it may change nothing but the database. */
  transaction<Result>(work: (db: Transaction) => Promise<Result>, options?: TransactionOptions): Promise<Result>
  /** Returns once every revocation is on record outside of the database too, and whether it is: for whoever concludes that a key is revoked. */
  settleRevocations(): Promise<boolean>
  /** Whether revocations are on record outside of it too, unless that fails. */
  readonly logsDurably: boolean
  /** Creates an index without locking out writers, outside of a transaction. Absent on SQLite, which has one writer. */
  createIndex?(name: string, statement: string): Promise<void>
  /** Copies all of it into a new file. Absent on PostgreSQL. */
  copyTo?(path: string): Promise<void>
  /** Throws unless the database answers, with a `DiskFullError` while nothing can be saved. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Settings that tests change. */
export interface OpenOptions {
  now?: Clock | undefined
  timeouts?: Partial<PostgresTimeouts> | undefined
  heavyReads?: Partial<HeavyReads> | undefined
  transactionMs?: number | undefined
  /** On SQLite: how often this process checks whether its files were replaced. */
  checkFilesEveryMs?: number | undefined
  /** Called once if this process can never use the database again: from then on everything is UNAVAILABLE. */
  onLost?: ((error: OperatorError) => void) | undefined
}

export interface TransactionOptions {
  /** No time limit: migrations. */
  noTimeout?: boolean
  /** A minute for each statement: work that concerns all organizations. */
  isLong?: boolean
  /** The organization that it is for: when connections are scarce, organizations take turns. */
  organizationId?: string
  /** More such transactions follow at once, and the last one syncs all of them to disk: one wait for the disk in place of many. */
  moreFollows?: boolean
  /** May use the room that is reserved for it when the disk is full. */
  usesReserve?: ReserveUse | undefined
}

/** What works on a full disk, and beyond the bytes of an organization; sign-ins and policies leave half of the reserved room to the other. */
export type ReserveUse = 'revoke' | 'sign-in' | 'policy'

/** How many lookups were requested, and how many queries answered them. */
export interface LookupCounts {
  asked: number
  queries: number
}

export interface ColumnTypes {
  dialect: 'sqlite' | 'postgres'
  text: string
  integer: string
  bytes: string
  tableOptions: string
}
