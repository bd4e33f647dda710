import postgres from 'postgres'
import { migrate } from '../../server/db/migrate.ts'
import { openDatabase } from '../../server/db/open.ts'
import { readPostgresAddress } from '../../server/lib/postgres-address.ts'
import { temporaryFolder } from './children.ts'
import type { Fleet } from './seed.ts'
import { type FleetSize, fleetRows } from './seed-rows.ts'

const ROWS_AT_ONCE = 1000
const PORTAL_SECRET = 'of-the-bench-and-nothing-else-0123456789'

/** Fills an empty PostgreSQL database in bulk, by plain SQL. */
export async function seedPostgresFleet(size: FleetSize, url: string): Promise<Fleet> {
  const folder = temporaryFolder()
  const address = readPostgresAddress(url)
  if (typeof address === 'string') throw new Error(`The address of PostgreSQL ${address}.`)
  const database = await openDatabase({ dataDir: folder, postgres: address })
  await migrate(database)
  await database.close()

  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const { tables, secrets } = fleetRows(size)
  for (const { table, rows } of tables) {
    const all: Record<string, unknown>[] = [...rows].map((row) => ({ ...row }))
    for (let at = 0; at < all.length; at += ROWS_AT_ONCE) {
      await sql`insert into ${sql(table)} ${sql(all.slice(at, at + ROWS_AT_ONCE))}`
    }
  }
  await sql`vacuum analyze`
  await sql.end()
  const settings = { DATA_DIR: folder, DATABASE_URL: url, PORTAL_SECRET }
  return { folder, settings, secret: secrets[0] ?? '', secrets }
}
