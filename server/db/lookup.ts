import { type SelectQueryBuilder, sql } from 'kysely'
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
  /** No key is accepted. */
  isHeld: boolean
}

/** The columns of each answer beside the row itself: how far the revocations of the database have come. */
export interface AnswerPoint {
  '@known': 1 | null
  '@incarnation': number
  '@sequence': number
  '@heldSince': number | null
}

/** What a request asks before anything else, for one row or none. On PostgreSQL `database.lookUp` runs it for many requests at once. */
export interface Lookup<Columns extends LookupColumns, Row> {
  readonly columns: Columns
  /** Builds the query. The values may be placeholders, so it only passes them on. */
  readonly build: (db: Db, values: LookupValues<Columns>) => SelectQueryBuilder<Tables, keyof Tables, Row>
  /** Runs the query for a single request on SQLite: always one row, that of the query or one with nulls. */
  readonly ask: (db: Db, values: LookupValues<Columns>) => Promise<(Row & AnswerPoint)[]>
}

export function lookup<const Columns extends LookupColumns, Row, From extends keyof Tables>(
  columns: Columns,
  build: (db: Db, values: LookupValues<Columns>) => SelectQueryBuilder<Tables, From, Row>,
): Lookup<Columns, Row> {
  const query = build as unknown as Lookup<Columns, Row>['build'] // its tables do not matter from here on
  const ask = prepared((db: Db, values: LookupValues<Columns>) => withPoint<Row>(db, query(db, values)))
  return { columns, build: query, ask }
}

/** In the same statement, so that both are of the same moment. */
const withPoint = <Row>(db: Db, query: SelectQueryBuilder<Tables, keyof Tables, Row>) =>
  db
    .selectFrom('revocationState as @state')
    .leftJoin(query.select(sql.lit(1).as('@known')).as('@found'), (join) => join.onTrue())
    .selectAll('@found')
    .select(['@state.incarnation as @incarnation', '@state.sequence as @sequence', '@state.heldSince as @heldSince'])
    .$castTo<Row & AnswerPoint>()
