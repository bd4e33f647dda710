import { columnTypeOf } from '../copy-text.ts'
import type { TableShape } from '../dump.ts'
import { portalTables } from '../migrate.ts'
import type { PostgresConnection } from './connection.ts'
import { COLUMN_TYPES } from './database.ts'

const COLUMNS = `select "table_name" as "table", "column_name" as "column", "data_type" as "type"
  from information_schema.columns join information_schema.tables using ("table_schema", "table_name")
  where "table_schema" = current_schema() and "table_type" = 'BASE TABLE'
  order by "table_name" collate "C", "ordinal_position"`

export async function shapesOf(connection: PostgresConnection): Promise<TableShape[]> {
  const ours = portalTables({ columnTypes: COLUMN_TYPES })
  const { rows } = await connection.query(COLUMNS)
  const columns = rows.filter(({ table }) => ours.has(String(table)))
  return [...Map.groupBy(columns, ({ table }) => String(table))].map(([name, columns]) => ({
    name,
    columns: columns.map(({ column, type }) => ({ name: String(column), type: columnTypeOf(String(type)) })),
  }))
}

/** How many migrations the database has had; 0: it has no tables of the portal. */
export async function versionIn(connection: PostgresConnection): Promise<number> {
  const { rows: tables } = await connection.query(`select to_regclass('"migration"') is not null as "exists"`)
  if (!tables[0]?.['exists']) return 0
  const { rows } = await connection.query('select coalesce(max("version"), 0) as "version" from "migration"')
  return Number(rows[0]?.['version'])
}

/** The portal that the database belongs to; empty: from before there were ledgers, or not yet used. */
export async function installationIn(connection: PostgresConnection): Promise<string> {
  const { rows: tables } = await connection.query(`select to_regclass('"revocationState"') is not null as "exists"`)
  if (!tables[0]?.['exists']) return ''
  const { rows } = await connection.query('select "installation" from "revocationState"')
  return String(rows[0]?.['installation'] ?? '')
}

export const quoted = (names: readonly { name: string }[]) => names.map(({ name }) => `"${name}"`).join(', ')
