import { type SelectQueryBuilder, sql } from 'kysely'
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
  /** No key is accepted. */
  isHeld: boolean
}

/** The columns of each answer beside the row itself: how far the revocations of the database have come. */
export interface AnswerPoint {
  '@known': 1 | null
  '@incarnation': number
  '@sequence': number
  '@heldSince': number | null
  /** Where SQLite stores the row, if the lookup remembers it. */
  '@rowid'?: number | null | undefined
}

/**
 * A query that a request runs before anything else, with one row or none as the answer. `database.lookUp` runs it: on
 * PostgreSQL for many requests at once.
 */
export interface Lookup<Columns extends LookupColumns, Row> {
  readonly columns: Columns
  /** Builds the query. The values may be placeholders, so it only passes them on. */
  readonly build: (db: Db, values: LookupValues<Columns>) => SelectQueryBuilder<Tables, keyof Tables, Row>
  /** Runs the query for a single request on SQLite: always one row, that of the query or one with nulls. */
  readonly ask: Ask<LookupValues<Columns>, Row>
  /** Given if SQLite may remember where a row is stored. */
  readonly atPlace?: AtPlace<Columns, Row>
}

type Ask<Values, Row> = (db: Db, values: Values) => MaybePromise<(Row & AnswerPoint)[]>

type HashOf<Columns extends LookupColumns> = {
  [Name in keyof Columns]: Columns[Name] extends 'bytes' ? Name : never
}[keyof Columns]

/** A lookup of a row that was found before. */
interface AtPlace<Columns extends LookupColumns, Row> {
  /** The column with the hash by which the row is found. */
  readonly by: HashOf<Columns>
  /** The same as `ask` if the row is still stored at this place; otherwise one with nulls. */
  readonly ask: Ask<LookupValues<Columns> & { '@rowid': number }, Row>
}

interface LookupOptions<Columns extends LookupColumns> {
  /** The table of the row, and the column with the hash by which it is found: see `askAtPlaces`. */
  remembers?: { table: keyof Tables; by: HashOf<Columns> }
}

export function lookup<const Columns extends LookupColumns, Row, From extends keyof Tables>(
  columns: Columns,
  build: (db: Db, values: LookupValues<Columns>) => SelectQueryBuilder<Tables, From, Row>,
  { remembers }: LookupOptions<Columns> = {},
): Lookup<Columns, Row> {
  const query = build as unknown as Lookup<Columns, Row>['build'] // its tables do not matter from here on
  const oneRow = { isOneRow: true }
  if (!remembers) {
    return { columns, build: query, ask: prepared((db, values) => withPoint<Row>(db, query(db, values)), oneRow) }
  }
  const { table, by } = remembers
  const rowid = sql<number>`${sql.table(table)}.rowid`
  const withRowid = (db: Db, values: LookupValues<Columns>) =>
    query(db, values).select(rowid.as('@rowid')) as ReturnType<typeof query> // AnswerPoint has it
  return {
    columns,
    build: query,
    ask: prepared((db, values) => withPoint<Row>(db, withRowid(db, values)), oneRow),
    atPlace: {
      by,
      ask: prepared(
        (db, values) => withPoint<Row>(db, withRowid(db, values).where(rowid, '=', values['@rowid'])),
        oneRow,
      ),
    },
  }
}

/** In the same statement, so that both are of the same moment. */
const withPoint = <Row>(db: Db, query: SelectQueryBuilder<Tables, keyof Tables, Row>) =>
  db
    .selectFrom('revocationState as @state')
    .leftJoin(query.select(sql.lit(1).as('@known')).as('@found'), (join) => join.onTrue())
    .selectAll('@found')
    .select(['@state.incarnation as @incarnation', '@state.sequence as @sequence', '@state.heldSince as @heldSince'])
    .$castTo<Row & AnswerPoint>()
