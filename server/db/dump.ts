import type { ColumnType } from './copy-text.ts'
import type { ColumnTypes } from './database.ts'
import type { Db } from './tables.ts'

export interface TableShape {
  name: string
  columns: readonly { name: string; type: ColumnType }[]
}

/** All that a database has, as of one moment, however long it takes to read it. Others go on reading and writing. */
export interface Dump {
  readonly kind: DatabaseKind
  /** How many migrations it has had. */
  readonly version: number
  readonly tables: readonly (TableShape & { rows: number })[]
  /** The portal that it belongs to; empty: from before there were ledgers. */
  readonly installation: string
  /** Whole lines of COPY text, in the order in which they are stored. */
  rowsOf(table: TableShape): AsyncIterable<Buffer> | Iterable<Buffer>
  /** Throws if the database was replaced meanwhile. */
  requireSame(): void
  /** May be called again. */
  close(): void
}

export type DatabaseKind = 'sqlite' | 'postgres'

/** A database that nobody else has open, and that is replaced by another content, all or nothing. */
export interface RestoreTarget {
  readonly location: string
  /** What is there; undefined: nothing that anybody has used. */
  readonly present: Present | undefined
  /** The portal that it belongs to; empty: none yet. */
  readonly installation: string
  /** The content is in place once this returns. If it throws, or if the process is killed, nothing has changed. */
  replace<Result>(work: (filling: Filling) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** How much a database has, for the question whether to replace it. */
export type Present = Record<'organizations' | 'people' | 'keys' | 'devices', number>

export const COUNTS = `select (select count(*) from "organization") as "organizations", (select count(*) from "user") as "people",
  (select count(*) from "apiKey") as "keys", (select count(*) from "device") as "devices"`

/** By the row of that query; undefined: nobody has used it. */
export function presentIf(row: Record<string, unknown> | undefined): Present | undefined {
  const { organizations, people, keys, devices } = row as Present // the columns of the query
  return organizations + people > 0 ? { organizations, people, keys, devices } : undefined
}

/** An empty database that is being filled, all or nothing. */
export interface Filling {
  /** For queries in its only transaction. */
  readonly db: Db
  readonly columnTypes: ColumnTypes
  tables(): Promise<TableShape[]>
  /** Before the rows: empties the tables, and leaves their indexes and references for later, which is faster. */
  prepare(): Promise<void>
  fill(table: TableShape, rows: AsyncIterable<Buffer>): Promise<void>
  /** After the rows: creates indexes and references again. Throws if a reference leads nowhere. */
  complete(): Promise<void>
}
