import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { finished } from 'node:stream/promises'
import postgres from 'postgres'
import { readConfig } from '../../server/config.ts'
import { migrate } from '../../server/db/migrate.ts'
import { openDatabase } from '../../server/db/open.ts'
import { temporaryFolder } from '../fault/processes.ts'
import { startPostgres } from '../support/postgres/postgres-server.ts'

const PORTAL_SECRET = 'of the fuzz run, which keeps nothing secret'
const ROWS_AT_ONCE = 20_000

export type Row = Record<string, string | number | Uint8Array | null>
export type DatabaseName = 'sqlite' | 'postgres'

/** A migrated database, filled and looked at by plain SQL beside the portal that runs on it. */
export interface Store {
  name: DatabaseName
  /** What the portal is started with. */
  env: Record<string, string>
  insert(table: string, rows: Iterable<Row>): Promise<void>
  run(sql: string): Promise<void>
  /** How many rows each table has. */
  sizes(): Promise<Record<string, number>>
  /** How many bytes are in use. */
  bytes(): Promise<number>
  close(): Promise<void>
}

export async function openStore(name: DatabaseName): Promise<Store> {
  const folder = temporaryFolder()
  const server = name === 'postgres' ? await startPostgres({ settings: { shared_buffers: '128MB' } }) : undefined
  const env: Record<string, string> = {
    DATA_DIR: folder.path,
    PORTAL_SECRET,
    ...(server && { DATABASE_URL: server.url() }),
  }
  const database = await openDatabase(readConfig(env))
  await migrate(database)
  await database.close()
  const tables = server ? postgresTables(server.url()) : sqliteTables(join(folder.path, 'portal.db'))
  return {
    name,
    env,
    ...tables,
    async close() {
      await tables.close()
      await server?.close()
      folder.remove()
    },
  }
}

type Tables = Pick<Store, 'insert' | 'run' | 'sizes' | 'bytes' | 'close'>

function sqliteTables(file: string): Tables {
  const db = new DatabaseSync(file, { timeout: 10_000 })
  return {
    async insert(table, rows) {
      let statement: ReturnType<DatabaseSync['prepare']> | undefined
      db.exec('begin immediate')
      for (const row of rows) {
        const names = Object.keys(row)
        statement ??= db.prepare(`insert into "${table}" (${quoted(names)}) values (${names.map(() => '?')})`)
        statement.run(...(Object.values(row) as SQLInputValue[])) // text, numbers, bytes and null alone
      }
      db.exec('commit')
    },
    run: async (sql) => db.exec(sql),
    async sizes() {
      const names = db.prepare(`select "name" from sqlite_master where "type" = 'table'`).all()
      return Object.fromEntries(
        names.map(({ name }) => [name, Number(db.prepare(`select count(*) as n from "${name}"`).get()?.['n'])]),
      )
    },
    async bytes() {
      const pragma = (name: string) => Number(db.prepare(`pragma ${name}`).get()?.[name])
      return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
    },
    close: async () => db.close(),
  }
}

function postgresTables(url: string): Tables {
  // Foreign keys are not checked row by row: what is inserted fits.
  const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { session_replication_role: 'replica' } })
  const eachTable = async (numberOf: (name: string) => PromiseLike<postgres.Row[]>) => {
    const tables = await sql<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`
    const numbers = await Promise.all(tables.map(({ name }) => numberOf(name)))
    return Object.fromEntries(tables.map(({ name }, i) => [name, Number(numbers[i]?.[0]?.['n'])]))
  }
  return {
    async insert(table, rows) {
      for (const part of inParts(rows)) {
        const target = await sql`copy ${sql(table)} (${sql(Object.keys(part[0] ?? {}))}) from stdin`.writable()
        target.end(part.map((row) => `${Object.values(row).map(copied).join('\t')}\n`).join(''))
        await finished(target)
      }
    },
    run: async (text) => void (await sql.unsafe(text)),
    sizes: () => eachTable((name) => sql`select count(*)::int as n from ${sql(name)}`),
    async bytes() {
      // Only the rows are counted: the space that updates leave behind is used again.
      const sizes = await eachTable((name) => sql`select sum(pg_column_size(t.*))::float8 as n from ${sql(name)} t`)
      return Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0)
    },
    close: () => sql.end({ timeout: 1 }),
  }
}

/** A value as `copy` reads it; none of ours has a tab or a line end in it. */
function copied(value: Row[string]): string {
  if (value === null) return '\\N'
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString('hex')}`
  return String(value).replaceAll('\\', '\\\\')
}

function* inParts(rows: Iterable<Row>): Generator<Row[]> {
  let part: Row[] = []
  for (const row of rows) {
    if (part.push(row) < ROWS_AT_ONCE) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}

const quoted = (names: string[]) => names.map((name) => `"${name}"`).join(', ')
