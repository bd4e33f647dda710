import { finished } from 'node:stream/promises'
import postgres from 'postgres'
import { migrate } from '../../server/db/migrate.ts'
import { openDatabase } from '../../server/db/open.ts'
import { readPostgresAddress } from '../../server/lib/postgres-address.ts'
import { temporaryFolder } from './children.ts'
import type { Progress } from './progress.ts'
import type { Fleet } from './seed.ts'
import type { FleetRows } from './seed-rows.ts'

const ROWS_AT_ONCE = 20_000
const PORTAL_SECRET = 'of-the-bench-and-nothing-else-0123456789'

/** Fills an empty PostgreSQL database in bulk, by `copy`. */
export async function fillPostgres({ tables, secrets }: FleetRows, url: string, progress?: Progress): Promise<Fleet> {
  const folder = temporaryFolder()
  const address = readPostgresAddress(url)
  if (typeof address === 'string') throw new Error(`The address of PostgreSQL ${address}.`)
  const database = await openDatabase({ dataDir: folder, postgres: address })
  await migrate(database)
  await database.close()

  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const makeIndexes = await dropIndexes(sql)
  await sql`set session_replication_role = replica` // foreign keys are not checked row by row
  for (const { table, rows } of tables) {
    let done = 0
    for (const some of inParts<object>(rows)) {
      const target = await sql`copy ${sql(table)} (${sql(Object.keys(some[0] ?? {}))}) from stdin`.writable()
      target.end(some.map(lineOf).join(''))
      await finished(target)
      done += some.length
      progress?.say(`filling PostgreSQL: ${done.toLocaleString('en')} ${table} rows`)
    }
  }
  progress?.say('filling PostgreSQL: its indexes')
  await makeIndexes()
  await sql`vacuum analyze`
  await sql`checkpoint` // so that no earlier write reaches the disk during a measurement
  await sql.end()
  const settings = { DATA_DIR: folder, DATABASE_URL: url, PORTAL_SECRET }
  return { folder, settings, secret: secrets[0] ?? '', secrets }
}

/** Indexes that are no constraints: they are created at the end, not maintained row by row. */
async function dropIndexes(sql: postgres.Sql): Promise<() => Promise<void>> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexname as "name", indexdef as "definition" from pg_indexes
    where schemaname = 'public' and indexname not in (select conname from pg_constraint)`
  for (const { name } of indexes) await sql`drop index ${sql(name)}`
  return async () => {
    for (const { definition } of indexes) await sql.unsafe(definition)
  }
}

function* inParts<Row>(rows: Iterable<Row>): Generator<Row[]> {
  let part: Row[] = []
  for (const row of rows) {
    if (part.push(row) < ROWS_AT_ONCE) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}

/** A row in the format of `copy`. */
const lineOf = (row: object) => `${Object.values(row).map(fieldOf).join('\t')}\n`

function fieldOf(value: unknown): string {
  if (value === null) return '\\N'
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString('hex')}`
  return String(value).replaceAll('\\', '\\\\') // no text of a fleet contains a tab or a line break
}
