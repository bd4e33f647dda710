import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import { openWithLedger } from '../../../server/ledger/open-ledger.ts'
import { createLog } from '../../../server/lib/log.ts'
import { copyTemplate, dropDatabase, type PostgresOfRun, urlOf } from '../postgres/postgres-databases.ts'
import { askOnce } from '../postgres/postgres-sql.ts'

export const PORTAL_SECRET = 'a secret of the tests, long enough to be one'

const DATABASE = 'portal.db'
const LEDGER = 'revoked.db'

/** Where a portal keeps its data, as the variables that it is started with say it. */
export interface Storage {
  env: Record<string, string>
  /** All that is kept, bytes as they are, for whoever looks for what must not be in it. */
  dump(): Promise<string>
  remove(): Promise<void>
}

/** An empty storage on the database that the tests of this project are run on. */
export async function newStorage(): Promise<Storage> {
  const postgres = process.env['VITEST'] ? inject('postgres') : undefined // as a script there is nothing to inject
  return postgres ? onPostgres(postgres) : inFolder()
}

/** A storage with its tables made: on SQLite copies of a database and a ledger that were made once for all. */
export async function newMigratedStorage(): Promise<Storage> {
  const storage = await newStorage()
  const { DATA_DIR: folder } = storage.env
  if (folder) {
    migrated ??= migratedFiles()
    for (const [name, content] of await migrated) writeFileSync(join(folder, name), content, { mode: 0o600 })
  }
  return storage
}

let migrated: Promise<[name: string, content: Buffer][]> | undefined

async function migratedFiles(): Promise<[name: string, content: Buffer][]> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  const config = readConfig({ DATA_DIR: folder })
  const { database } = await openWithLedger(config, { log: createLog('silent', process.stderr) })
  await database.close() // which leaves nothing beside the files
  const files = [DATABASE, LEDGER].map((name): [string, Buffer] => [name, readFileSync(join(folder, name))])
  rmSync(folder, { recursive: true })
  return files
}

function inFolder(): Storage {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  const files = [DATABASE, `${DATABASE}-wal`, LEDGER, `${LEDGER}-wal`].map((name) => join(folder, name))
  return {
    env: { DATA_DIR: folder },
    dump: async () => files.map((file) => (existsSync(file) ? readFileSync(file, 'latin1') : '')).join(''),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function onPostgres(run: PostgresOfRun): Promise<Storage> {
  const name = await copyTemplate(run)
  const url = urlOf(run.url, name)
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  return {
    env: { DATABASE_URL: url, PORTAL_SECRET, LEDGER: join(folder, LEDGER) },
    dump: () => dumpOf(url),
    remove: async () => {
      rmSync(folder, { recursive: true, force: true })
      await dropDatabase(run.url, name)
    },
  }
}

const dumpOf = (url: string) =>
  askOnce(url)(async (sql) => {
    await sql`set bytea_output = 'escape'`
    const tables = await sql<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`
    const rows = await Promise.all(tables.map(({ name }) => sql`select t::text as row from ${sql(name)} t`))
    return rows
      .flat()
      .map(({ row }) => String(row))
      .join('\n')
  })
