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
  /** The first row of a query that has one. */
  first(text: string): Promise<Row>
  close(): void
}

/** Undefined: there is no database yet. */
export async function openReadOnlyDatabase({ dataDir, postgres }: Config): Promise<ReadOnlyDatabase | undefined> {
  if (postgres) return openPostgres(postgres)
  const file = openReadOnly(join(dataDir, 'portal.db'))
  return (
    file &&
    withFirst(
      async (text) => file.prepare(text).all(),
      () => file.close(),
    )
  )
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
  return withFirst(query, () => connection.close())
}

function withFirst(query: (text: string) => Promise<Row[]>, close: () => void): ReadOnlyDatabase {
  return {
    query,
    async first(text) {
      const [row] = await query(text)
      if (!row) throw new Error('The query has no row.')
      return row
    },
    close,
  }
}

/** Whether the portal has created its tables. */
export async function hasTable(database: ReadOnlyDatabase, name: string): Promise<boolean> {
  try {
    await database.query(`select 1 from "${name}" limit 1`)
    return true
  } catch {
    return false
  }
}
