import type { PostgresAddress } from '../lib/postgres-address.ts'
import type { Database, OpenOptions } from './database.ts'
import { openSqlite } from './sqlite/database.ts'

/** Opens PostgreSQL if there is an address, otherwise SQLite in its folder, which is created if needed. */
export async function openDatabase(
  { dataDir, postgres }: { dataDir: string; postgres?: PostgresAddress | undefined },
  options: OpenOptions = {},
): Promise<Database> {
  if (!postgres) return openSqlite(dataDir, options)
  const { openPostgres } = await import('./postgres/database.ts') // loads the driver only when it is needed
  return openPostgres(postgres, options)
}
