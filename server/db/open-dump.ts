import type { PostgresAddress } from '../lib/postgres-address.ts'
import type { Dump, RestoreTarget } from './dump.ts'
import { openSqliteDump } from './sqlite/dump.ts'
import { openSqliteTarget } from './sqlite/restore-target.ts'

interface Where {
  dataDir: string
  postgres?: PostgresAddress | undefined
}

/** What the database has now, for a backup. Does not migrate it. */
export async function openDump({ dataDir, postgres }: Where): Promise<Dump> {
  if (!postgres) return openSqliteDump(dataDir)
  const { openPostgresDump } = await import('./postgres/dump.ts') // loads the driver only when it is needed
  return openPostgresDump(postgres)
}

/** The database to restore into. Throws while others use it. */
export async function openRestoreTarget({ dataDir, postgres }: Where): Promise<RestoreTarget> {
  if (!postgres) return openSqliteTarget(dataDir)
  const { openPostgresTarget } = await import('./postgres/restore-target.ts')
  return openPostgresTarget(postgres)
}
