import { type RawBuilder, sql } from 'kysely'
import type { AnswerPoint, Lookup, LookupColumns } from '../lookup.ts'
import type { Db } from '../tables.ts'
import { bytesArray, textArray } from './connection.ts'

export type AnyLookup = Lookup<LookupColumns, Record<string, unknown>>
export type AnyValues = Record<string, string | Uint8Array>

/** The columns of each answer beside the row itself. */
export interface LookupAnswer extends AnswerPoint {
  '@place': number
  '@standby': boolean
  '@now': number
}

/** Its query, run for each given row. Every answer also says whether the server is a standby, its time, and how far its revocations have come. */
export function lookupText({ columns, build }: AnyLookup, db: Db): string {
  const names = Object.entries(columns)
  const asked = Object.fromEntries(names.map(([name, type]) => [name, lookupColumn(name, type)]))
  const one = build(db, asked as never) // the query only passes them on
    .limit(sql.lit(1))
    .compile()
  if (one.parameters.length > 0) throw new Error('A lookup has no values of its own.')
  const arrays = names.map(([, type], place) => `$${place + 1}::${type === 'bytes' ? 'bytea' : 'text'}[]`)
  const columnNames = [...names.map(([name]) => name), '@place'].map((name) => `"${name}"`)
  return `select "asked"."@place", pg_is_in_recovery() as "@standby",
    floor(extract(epoch from clock_timestamp()) * 1000)::bigint as "@now",
    "state"."incarnation" as "@incarnation", "state"."sequence" as "@sequence", "state"."heldSince" as "@heldSince", "found".*
    from "revocationState" as "state" cross join unnest(${arrays}) with ordinality as "asked" (${columnNames})
    left join lateral (select 1 as "@known", "row".* from (${one.sql}) as "row") as "found" on true`
}

/** Texts are compared byte by byte, as in the tables. */
const lookupColumn = (name: string, type: 'text' | 'bytes'): RawBuilder<unknown> =>
  type === 'text' ? sql`${sql.ref(`asked.${name}`)} collate "C"` : sql.ref(`asked.${name}`)

export function lookupParameters({ columns }: AnyLookup, asked: readonly AnyValues[]) {
  return Object.entries(columns).map(([name, type]) => {
    const values = asked.map((one) => one[name])
    return type === 'bytes' ? bytesArray(values as Uint8Array[]) : textArray(values as string[]) // by the type of the column
  })
}
