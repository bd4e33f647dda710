import { type AliasedRawBuilder, sql } from 'kysely'
import { isPostgres } from './locks.ts'
import type { Db } from './tables.ts'

type Columns<Row> = { readonly [Name in keyof Row]: 'text' | 'integer' }

/** The given rows as a table to select from: one parameter and one statement, however many there are. */
export const jsonRows = <Row extends object, Alias extends string>(
  db: Db,
  columns: Columns<Row>,
  rows: readonly Row[],
  alias: Alias,
): AliasedRawBuilder<Row, Alias> => rowsOfJson(db, columns, JSON.stringify(rows), alias)

/** For rows of one statement with long texts: as JSON, SQLite takes three to five times as long for those as with a parameter for each value. */
export function longRows<Row extends object, Alias extends string>(
  db: Db,
  columns: Columns<Row>,
  rows: readonly Row[],
  alias: Alias,
): AliasedRawBuilder<Row, Alias> {
  if (isPostgres(db)) return jsonRows(db, columns, rows, alias)
  const names = Object.keys(columns) as (keyof Row & string)[] // the type of Object.keys does not say which
  const named = names.map((name, index) => sql`${sql.ref(`column${index + 1}`)} as ${sql.ref(name)}`)
  const values = rows.map((row) => sql`(${sql.join(names.map((name) => row[name]))})`)
  return sql<Row>`(select ${sql.join(named)} from (values ${sql.join(values)}))`.as(alias)
}

/** Rows that are JSON already, as a table to select from. */
export function rowsOfJson<Row extends object, Alias extends string>(
  db: Db,
  columns: Columns<Row>,
  json: string,
  alias: Alias,
): AliasedRawBuilder<Row, Alias> {
  const names = Object.entries<'text' | 'integer'>(columns)
  const table = isPostgres(db) ? recordset(json, names) : eachOf(json, names)
  return table.as(alias) as AliasedRawBuilder<Row, Alias> // with the given columns
}

/** Texts are compared byte by byte, as in the tables. */
const recordset = (json: string, names: [string, 'text' | 'integer'][]) => {
  const types = names.map(
    ([name, type]) => sql`${sql.ref(name)} ${sql.raw(type === 'text' ? 'text collate "C"' : 'bigint')}`,
  )
  return sql`(select * from json_to_recordset(${json}::text::json) as "given" (${sql.join(types)}))`
}

/** Each row is parsed once: without jsonb, and without a limit, SQLite writes it as text and parses it for each column. */
const eachOf = (json: string, names: [string, 'text' | 'integer'][]) => {
  const values = names.map(([name]) => sql`"value" ->> ${sql.lit(name)} as ${sql.ref(name)}`)
  return sql`(select ${sql.join(values)} from (select jsonb("value") as "value" from json_each(${json}) limit -1))`
}

/** So many that a statement takes a few milliseconds at most: others get their turn between two. */
export const ROWS_OF_A_STATEMENT = 100
