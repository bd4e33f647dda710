import type { PostgresAddress } from '../lib/postgres-address.ts'
import type { Database, OpenOptions } from './database.ts'
import type { Dump, RestoreTarget } from './dump.ts'
import { openSqlite } from './sqlite/database.ts'
import { openSqliteDump } from './sqlite/dump.ts'
import { openSqliteTarget } from './sqlite/restore-target.ts'

/*
 * PostgreSQL if there is an address, otherwise SQLite in its folder. What is about PostgreSQL is loaded only when it is needed.
 */

interface Where {
  dataDir: string
  postgres?: PostgresAddress | undefined
}

/** The folder of SQLite is created if needed. */
export async function openDatabase({ dataDir, postgres }: Where, options: OpenOptions = {}): Promise<Database> {
  if (!postgres) return openSqlite(dataDir, options)
  const { openPostgres } = await import('./postgres/database.ts')
  return openPostgres(postgres, options)
}

/** What the database has now, for a backup. Does not migrate it. */
export async function openDump({ dataDir, postgres }: Where): Promise<Dump> {
  if (!postgres) return openSqliteDump(dataDir)
  const { openPostgresDump } = await import('./postgres/dump.ts')
  return openPostgresDump(postgres)
}

/** The database to restore into. Throws while others use it. */
export async function openRestoreTarget({ dataDir, postgres }: Where): Promise<RestoreTarget> {
  if (!postgres) return openSqliteTarget(dataDir)
  const { openPostgresTarget } = await import('./postgres/restore-target.ts')
  return openPostgresTarget(postgres)
}
