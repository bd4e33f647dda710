import type { Database } from './database.ts'
import { openSqlite } from './sqlite.ts'

/** Opens the embedded database in its folder, and makes it on the first start. */
export function openDatabase({ dataDir }: { dataDir: string }): Database {
  return openSqlite(dataDir)
}
