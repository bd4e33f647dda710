import type { DatabaseSync } from 'node:sqlite'
import { columnTypeOf } from '../copy-text.ts'
import type { TableShape } from '../dump.ts'
import { portalTables } from '../migrate.ts'
import { COLUMN_TYPES } from './database.ts'

export function shapesOf(database: DatabaseSync): TableShape[] {
  const ours = portalTables({ columnTypes: COLUMN_TYPES })
  const tables = database.prepare(`select "name" from sqlite_schema where "type" = 'table' order by "name"`).all()
  const columns = database.prepare('select "name", lower("type") as "type" from pragma_table_info(?) order by "cid"')
  return tables
    .map(({ name }) => String(name))
    .filter((name) => ours.has(name))
    .map((name) => ({
      name,
      columns: columns
        .all(name)
        .map((column) => ({ name: String(column['name']), type: columnTypeOf(String(column['type'])) })),
    }))
}
