import { sql } from 'kysely'
import { OperatorError } from '../../lib/app-error.ts'
import { codeOf, messageOf } from '../../lib/error-text.ts'
import type { PostgresAddress } from '../../lib/postgres-address.ts'
import { COUNTS, presentIf, type RestoreTarget } from '../dump.ts'
import { IN_USE } from '../locks.ts'
import { MIGRATIONS } from '../migrate.ts'
import type { PostgresConnection } from './connection.ts'
import { NO_TIMEOUTS } from './dump.ts'
import { PostgresFilling } from './filling.ts'
import { cannotOpen } from './open-errors.ts'
import { connectToPrimary } from './primary.ts'
import { installationIn, quoted, shapesOf, versionIn } from './shapes.ts'
import { transact } from './transaction.ts'

/** The tables of the portal in a database, locked against everybody else, and replaced in one transaction. */
export async function openPostgresTarget(address: PostgresAddress): Promise<RestoreTarget> {
  let connection: PostgresConnection | undefined
  try {
    connection = await connectToPrimary(address, NO_TIMEOUTS, () => {})
    return await targetOf(connection, address)
  } catch (error) {
    if (connection) await release(connection)
    throw cannotOpen(address, error)
  }
}

/** The next command finds the database unlocked now, not a moment after this connection is closed. */
async function release(connection: PostgresConnection): Promise<void> {
  if (connection.isOpen) await connection.query('select pg_advisory_unlock_all()').catch(() => {})
  connection.close()
}

async function targetOf(connection: PostgresConnection, address: PostgresAddress): Promise<RestoreTarget> {
  const location = `${address.database} at ${address.hosts.map(({ host, port }) => `${host}:${port}`).join(', ')}`
  const { rows } = await connection.query(`select pg_try_advisory_lock(${IN_USE}) as "isFree"`)
  if (!rows[0]?.['isFree'] || (await hasOtherPortal(connection, address)))
    throw new OperatorError(`A portal or a command is running on the database ${location}: stop it, then try again.`)
  const version = await versionIn(connection)
  if (version > MIGRATIONS.length)
    throw new OperatorError(
      `The database ${location} is of a newer version of the portal, whose tables this one does not know: create an empty database, and restore into that.`,
    )
  if (version === 0) await requireNoTables(connection, location)
  return {
    location,
    installation: await installationIn(connection),
    present: version === 0 ? undefined : presentIf((await connection.query(COUNTS)).rows[0]),
    replace: (work) =>
      transact(
        connection,
        async (db) => {
          await sql.raw('set local client_min_messages = error').execute(db) // which begins
          const tables = [...(await shapesOf(connection)), ...(version > 0 ? [{ name: 'migration' }] : [])]
          if (tables.length > 0) await connection.query(`drop table ${quoted(tables)}`)
          return work(new PostgresFilling(connection, db))
        },
        { noTimeout: true },
      ).catch((error) => {
        throw refused(error)
      }),
    close: () => release(connection),
  }
}

/** Portals of an older version do not lock the database. Whoever has another name, such as psql, waits or makes it fail. */
async function hasOtherPortal(connection: PostgresConnection, { applicationName }: PostgresAddress): Promise<boolean> {
  const { rows } = await connection.query(
    `select 1 from pg_stat_activity where "datname" = current_database() and "pid" <> pg_backend_pid()
     and "backend_type" = 'client backend' and "application_name" = $1 limit 1`,
    [applicationName],
  )
  return rows.length > 0
}

/** A restore replaces the tables of a portal, and never those of another program. */
async function requireNoTables(connection: PostgresConnection, location: string): Promise<void> {
  const names = (await shapesOf(connection)).map(({ name }) => name)
  if (names.length > 0)
    throw new OperatorError(
      `The database ${location} has tables of another program with names that the portal uses (${names.join(', ')}): create an empty database, and restore into that.`,
    )
}

/** What the server says about it: a right that is missing, a view on one of the tables, a full disk, a lost connection. */
function refused(error: unknown): unknown {
  const isOfServer = error instanceof Error && 'severity' in error
  const isLost = /^(CONNECTION_|ECONN|EPIPE)/.test(codeOf(error))
  if (isOfServer)
    return new OperatorError(`PostgreSQL has refused the restore (${messageOf(error)}): nothing was changed.`, error)
  return isLost ? new OperatorError(`${LOST} (${messageOf(error)}).`, error) : error
}

const LOST =
  'The connection to PostgreSQL was lost. Nothing was changed, unless this was the very last step: look at the database, and try again'
