import type { PostgresAddress } from '../lib/postgres-address.ts'
import type { Database, OpenOptions } from './database.ts'
import { openSqlite } from './sqlite/database.ts'

/** Opens PostgreSQL where an address is given, or else the embedded database in its folder, which it makes if needed. */
export async function openDatabase(
  { dataDir, postgres }: { dataDir: string; postgres?: PostgresAddress | undefined },
  options: OpenOptions = {},
): Promise<Database> {
  if (!postgres) return openSqlite(dataDir, options)
  const { openPostgres } = await import('./postgres/database.ts') // the driver is loaded only where there is something to drive
  return openPostgres(postgres, options)
}
