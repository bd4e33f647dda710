import { join } from 'node:path'
import type { Config } from '../config.ts'
import { cannotOpen } from '../db/postgres/open-errors.ts'
import { POSTGRES_TIMEOUTS } from '../db/postgres/timeouts.ts'
import { openReadOnly } from '../db/sqlite/read-only.ts'

export type Row = Record<string, unknown>

/** One connection that only reads, beside a portal that may be running. */
export interface ReadOnlyDatabase {
  /** Runs one query in the words that both databases share. */
  query(text: string): Promise<Row[]>
  close(): void
}

export async function openReadOnlyDatabase({ dataDir, postgres }: Config): Promise<ReadOnlyDatabase | undefined> {
  if (postgres) return openPostgres(postgres)
  const file = openReadOnly(join(dataDir, 'portal.db'))
  return file && { query: async (text) => file.prepare(text).all(), close: () => file.close() }
}

async function openPostgres(address: NonNullable<Config['postgres']>): Promise<ReadOnlyDatabase> {
  const { connectToPrimary } = await import('../db/postgres/primary.ts') // loads the driver only when it is needed
  const connection = await connectToPrimary(address, POSTGRES_TIMEOUTS, () => {}).catch((error) => {
    throw cannotOpen(address, error)
  })
  // Not by a setting of the session: a pooler would pass it on to others.
  const query = async (text: string) => {
    const [, answer] = await Promise.all([
      connection.query('begin read only'),
      connection.query(text),
      connection.query('rollback'),
    ])
    return answer.rows
  }
  return { query, close: connection.close }
}

/** The row of a query that has one. */
export async function firstRow(database: ReadOnlyDatabase, text: string): Promise<Row> {
  const [row] = await database.query(text)
  if (!row) throw new Error('The query has no row.')
  return row
}

/** The rows of a query on this table; none where the portal has not created it yet. */
export async function rowsOf(database: ReadOnlyDatabase | undefined, table: string, text: string): Promise<Row[]> {
  const found = await database?.query(`select 1 from "${table}" limit 1`).catch(() => undefined)
  return database && found ? database.query(text) : []
}
