import { OperatorError } from '../../lib/app-error.ts'
import { messageOf } from '../../lib/error-text.ts'
import type { PostgresAddress } from '../../lib/postgres-address.ts'
import type { Dump, TableShape } from '../dump.ts'
import { MIGRATIONS, newerDatabase } from '../migrate.ts'
import type { PostgresConnection } from './connection.ts'
import { cannotOpen } from './open-errors.ts'
import { connectToPrimary } from './primary.ts'
import { installationIn, quoted, shapesOf, versionIn } from './shapes.ts'
import { POSTGRES_TIMEOUTS, type PostgresTimeouts } from './timeouts.ts'
import { UNLIMITED } from './transaction.ts'

/** For a transaction that takes as long as it takes. */
export const NO_TIMEOUTS: PostgresTimeouts = { ...POSTGRES_TIMEOUTS, ...UNLIMITED, idleInTransactionMs: 0 }

/** What the database has now: one snapshot, which nobody waits for. */
export async function openPostgresDump(address: PostgresAddress): Promise<Dump> {
  let connection: PostgresConnection | undefined
  try {
    connection = await connectToPrimary(address, NO_TIMEOUTS, () => {})
    await connection.query('begin isolation level repeatable read, read only')
    await connection.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
    return await dumpOf(connection, address)
  } catch (error) {
    connection?.close()
    throw cannotOpen(address, error)
  }
}

async function dumpOf(connection: PostgresConnection, { database }: PostgresAddress): Promise<Dump> {
  const version = await versionIn(connection)
  if (version === 0) throw new OperatorError(`The database ${database} is empty: there is nothing to back up.`)
  if (version > MIGRATIONS.length) throw newerDatabase(version)
  const tables: Dump['tables'][number][] = []
  for (const shape of await shapesOf(connection)) {
    const { rows } = await connection.query(`select count(*) as "rows" from "${shape.name}"`)
    tables.push({ ...shape, rows: Number(rows[0]?.['rows']) })
  }
  return {
    kind: 'postgres',
    version,
    tables,
    installation: await installationIn(connection),
    rowsOf: (table) => rowsOf(connection, table),
    requireSame: () => {},
    close: () => connection.close(),
  }
}

/** In any order but by rowid on SQLite, which a single number as the key is there: so both read them in one order. */
async function* rowsOf(connection: PostgresConnection, table: TableShape): AsyncGenerator<Buffer> {
  try {
    yield* connection.copyOut(await copyOf(connection, table))
  } catch (error) {
    throw new OperatorError(
      `PostgreSQL has not sent all rows (${messageOf(error)}), so there is no backup: try again.`,
      error,
    )
  }
}

async function copyOf(connection: PostgresConnection, { name, columns }: TableShape): Promise<string> {
  const { rows } = await connection.query(
    `select a."attname" as "key" from pg_index i join pg_attribute a on a."attrelid" = i."indrelid" and a."attnum" = i."indkey"[0]
     where i."indrelid" = $1::regclass and i."indisprimary" and i."indnkeyatts" = 1`,
    [`"${name}"`],
  )
  const key = columns.find((column) => column.name === rows[0]?.['key'] && column.type === 'integer')?.name
  const list = quoted(columns)
  return key === undefined
    ? `copy "${name}" (${list}) to stdout`
    : `copy (select ${list} from "${name}" order by "${key}") to stdout`
}
