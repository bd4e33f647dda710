import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startPostgres } from '../../support/postgres/postgres-server.ts'
import { askOnce } from '../../support/postgres/postgres-sql.ts'
import { PORTAL_SECRET } from '../cluster.ts'
import { CALLS_OF_ORGANIZATIONS, type CountedRow, countedIn } from '../counted-calls.ts'
import { temporaryFolder } from '../processes.ts'

/** Where a portal keeps its data. */
export interface RunDatabase {
  name: string
  env: Record<string, string>
  /** The calls that it has counted, by organization. */
  counted(): Promise<Map<string, number>>
  close(): Promise<void>
}

export async function onSqlite(): Promise<RunDatabase> {
  const folder = temporaryFolder()
  return {
    name: 'SQLite',
    env: { DATA_DIR: folder.path },
    async counted() {
      const database = new DatabaseSync(join(folder.path, 'portal.db'), { readOnly: true, timeout: 5000 })
      const rows = database.prepare(CALLS_OF_ORGANIZATIONS).all()
      database.close()
      return countedIn(rows as unknown as CountedRow[]) // as the query names them
    },
    close: async () => folder.remove(),
  }
}

export async function onPostgres(): Promise<RunDatabase> {
  const folder = temporaryFolder()
  const server = await startPostgres({ durable: true })
  return {
    name: 'PostgreSQL',
    env: { DATABASE_URL: server.url(), PORTAL_SECRET, LEDGER: join(folder.path, 'revoked.db') },
    counted: () =>
      askOnce(server.url())(async (sql) => countedIn(await sql.unsafe<CountedRow[]>(CALLS_OF_ORGANIZATIONS))),
    async close() {
      await server.close()
      folder.remove()
    },
  }
}
