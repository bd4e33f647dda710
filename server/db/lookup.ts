import type { SelectQueryBuilder } from 'kysely'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { prepared } from './prepared.ts'
import type { Db, Tables } from './tables.ts'

export type LookupColumns = Readonly<Record<string, 'text' | 'bytes'>>

export type LookupValues<Columns extends LookupColumns> = {
  [Name in keyof Columns]: Columns[Name] extends 'text' ? string : Uint8Array
}

/** The row, if there is one, with the time for the check of expirations. */
export interface LookedUp<Row> {
  row: Row | undefined
  now: number
}

/**
 * A query that a request runs before anything else, with one row or none as the answer. `database.lookUp` runs it: on
 * PostgreSQL for many requests at once.
 */
export interface Lookup<Columns extends LookupColumns, Row> {
  readonly columns: Columns
  /** Builds the query. The values may be placeholders, so it only passes them on. */
  readonly build: (db: Db, values: LookupValues<Columns>) => SelectQueryBuilder<Tables, keyof Tables, Row>
  /** Runs the query for a single request. */
  readonly ask: (db: Db, values: LookupValues<Columns>) => MaybePromise<Row[]>
}

export function lookup<const Columns extends LookupColumns, Row, From extends keyof Tables>(
  columns: Columns,
  build: (db: Db, values: LookupValues<Columns>) => SelectQueryBuilder<Tables, From, Row>,
): Lookup<Columns, Row> {
  const query = build as unknown as Lookup<Columns, Row>['build'] // its tables do not matter from here on
  return { columns, build: query, ask: prepared(query) }
}
