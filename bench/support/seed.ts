import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { migrate } from '../../server/db/migrate.ts'
import { openDatabase } from '../../server/db/open.ts'
import { temporaryFolder } from './children.ts'
import type { Progress } from './progress.ts'
import { type FleetRows, type FleetSize, fleetRows, type TableRows } from './seed-rows.ts'

const ROWS_AT_ONCE = 20_000

/** A database with an organization of devices and keys, and keys of other organizations between them. */
export interface Fleet {
  /** For the files of a server on it. */
  folder: string
  /** The variables by which the portal finds it. */
  settings: Record<string, string>
  /** One of the organization's keys. */
  secret: string
  /** All of the organization's keys, created at different times among the others. */
  secrets: string[]
  /** Only on SQLite. */
  file?: string
}

export interface SqliteFleet extends Fleet {
  file: string
}

/** Fills a new SQLite database in bulk, by plain SQL. */
export const seedFleet = (size: FleetSize, progress: Progress): Promise<SqliteFleet> =>
  fillSqlite(fleetRows(size), progress)

/** Fills a new SQLite database with these rows. */
export async function fillSqlite({ tables, secrets }: FleetRows, progress: Progress): Promise<SqliteFleet> {
  const folder = temporaryFolder()
  const database = await openDatabase({ dataDir: folder })
  await migrate(database)
  await database.close()

  const file = join(folder, 'portal.db')
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  db.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -200000; begin')
  for (const rows of tables) {
    await insert(db, rows, (done) =>
      progress.say(`filling a database: ${done.toLocaleString('en')} ${rows.table} rows`),
    )
  }
  db.exec('commit; pragma journal_mode = wal')
  db.close()
  return { folder, settings: { DATA_DIR: folder }, file, secret: secrets[0] ?? '', secrets }
}

async function insert(db: DatabaseSync, { table, rows }: TableRows, tell: (done: number) => void): Promise<void> {
  let done = 0
  let statement: ReturnType<DatabaseSync['prepare']> | undefined
  for (const row of rows) {
    const columns = Object.keys(row)
    statement ??= db.prepare(
      `insert into "${table}" (${columns.map((name) => `"${name}"`)}) values (${columns.map(() => '?')})`,
    )
    statement.run(...(Object.values(row) as SQLInputValue[])) // columns are only text, numbers, bytes and null
    if (++done % ROWS_AT_ONCE === 0) {
      tell(done)
      await yieldToEventLoop()
    }
  }
}
