import { type RawBuilder, sql } from 'kysely'
import type { Lookup, LookupColumns } from '../lookup.ts'
import type { Db } from '../tables.ts'
import { bytesArray, textArray } from './connection.ts'

/** A lookup whose values and rows are known to whoever asks. */
export type AnyLookup = Lookup<LookupColumns, Record<string, unknown>>
export type AnyValues = Record<string, string | Uint8Array>

/** What comes back for each that was asked, beside the row itself. */
export interface LookupAnswer {
  '@place': number
  '@known': 1 | null
  '@standby': boolean
  '@now': number
}

/**
 * The lookup for many at once: its own query, run for each row of what is asked. It is told with every answer whether the
 * server is a standby, and what time it is there.
 */
export function lookupText({ columns, build }: AnyLookup, db: Db): string {
  const names = Object.entries(columns)
  const asked = Object.fromEntries(names.map(([name, type]) => [name, askedColumn(name, type)]))
  const one = build(db, asked as never) // the query only hands them on
    .limit(sql.lit(1))
    .compile()
  if (one.parameters.length > 0) throw new Error('A lookup has no values of its own.')
  const arrays = names.map(([, type], place) => `$${place + 1}::${type === 'bytes' ? 'bytea' : 'text'}[]`)
  const columnNames = [...names.map(([name]) => name), '@place'].map((name) => `"${name}"`)
  return `select "asked"."@place", pg_is_in_recovery() as "@standby",
    floor(extract(epoch from clock_timestamp()) * 1000)::bigint as "@now", "found".*
    from unnest(${arrays}) with ordinality as "asked" (${columnNames})
    left join lateral (select 1 as "@known", "row".* from (${one.sql}) as "row") as "found" on true`
}

/** Texts are compared as those in our tables, byte by byte. */
const askedColumn = (name: string, type: 'text' | 'bytes'): RawBuilder<unknown> =>
  type === 'text' ? sql`${sql.ref(`asked.${name}`)} collate "C"` : sql.ref(`asked.${name}`)

/** The values of all who ask, a list for each column. */
export function lookupParameters({ columns }: AnyLookup, asked: readonly AnyValues[]) {
  return Object.entries(columns).map(([name, type]) => {
    const values = asked.map((one) => one[name])
    return type === 'bytes' ? bytesArray(values as Uint8Array[]) : textArray(values as string[]) // as its columns say
  })
}
