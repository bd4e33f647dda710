import { setTimeout as pause } from 'node:timers/promises'
import { SECOND } from '../../lib/clock.ts'
import { codeOf } from '../../lib/error-text.ts'
import type { PostgresConnection } from './connection.ts'

const DUPLICATE_TABLE = '42P07'
/** Two that create it at the same moment wait for each other's transactions. */
const DEADLOCK = '40P01'
const POLL_EVERY_MS = SECOND / 2

type Query = Pick<PostgresConnection, 'query'>
type IndexState = 'absent' | 'valid' | 'in progress' | 'broken'

/** Without locking out writers. Of several processes one creates it, the others wait; what a killed one left behind is created anew. */
export async function createIndexConcurrently(connection: Query, name: string, statement: string): Promise<void> {
  for (;;) {
    switch (await stateOf(connection, name)) {
      case 'valid':
        return
      case 'in progress':
        await pause(POLL_EVERY_MS)
        break
      case 'broken':
        await connection.query(`drop index concurrently if exists "${name}"`).catch(unlessAnotherProcessHasBegun)
        break
      case 'absent':
        await connection.query(statement.replace(/\bindex\b/, 'index concurrently')).catch(unlessAnotherProcessHasBegun)
    }
  }
}

async function stateOf(connection: Query, name: string): Promise<IndexState> {
  const { rows } = await connection.query(
    `select "indisvalid" as "isValid",
      exists (select 1 from pg_stat_progress_create_index where index_relid = indexrelid) as "isInProgress"
    from pg_index where indexrelid = to_regclass($1)`,
    [`"${name}"`],
  )
  const [index] = rows
  if (!index) return 'absent'
  if (index['isValid']) return 'valid'
  return index['isInProgress'] ? 'in progress' : 'broken'
}

function unlessAnotherProcessHasBegun(error: unknown): void {
  if (![DUPLICATE_TABLE, DEADLOCK].includes(codeOf(error))) throw error
}
