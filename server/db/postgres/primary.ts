import { OperatorError } from '../../lib/app-error.ts'
import { codeOf } from '../../lib/error-text.ts'
import type { PostgresAddress } from '../../lib/postgres-address.ts'
import { IN_USE } from '../locks.ts'
import { connectTo, type PostgresConnection } from './connection.ts'
import type { PostgresTimeouts } from './timeouts.ts'

const OLDEST_VERSION = 150_000

interface Server {
  isFree: boolean
  version: number
  standby: boolean
  readOnly: string
  now: number
}

const whoIsIt = ({
  pgbouncer,
}: PostgresAddress) => `select current_setting('server_version_num')::int as "version", pg_is_in_recovery() as "standby",
  current_setting('transaction_read_only') as "readOnly", floor(extract(epoch from clock_timestamp()) * 1000)::bigint as "now",
  ${pgbouncer ? 'true' : `pg_try_advisory_lock_shared(${IN_USE})`} as "isFree"` // behind a pooler there is no session to lock for

/**
 * A promoted standby and a recovery to a point in time have a new timeline, a restored dump another system or another
 * database. The name of the current WAL file begins with the timeline; the control data have the one of the last
 * checkpoint only.
 */
const WHICH_IS_IT = `select "system_identifier" || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  || '/' || (select "oid" from pg_database where "datname" = current_database()) as "server" from pg_control_system()`

/** Connects to the host that accepts writes, trying them in the order of the address: only the primary is ever used. */
export async function connectToPrimary(
  address: PostgresAddress,
  timeouts: PostgresTimeouts,
  learnTime: (serverTime: number) => void,
): Promise<PostgresConnection> {
  const failures: Error[] = []
  for (const host of address.hosts) {
    try {
      const connection = await connectTo(address, host, timeouts)
      return await requirePrimary(connection, address, learnTime)
    } catch (error) {
      failures.push(Object.assign(toError(error), { host }))
    }
  }
  throw failures.find((failure) => !(failure instanceof NotPrimary)) ?? failures[0] ?? new Error('No host is given.')
}

async function requirePrimary(
  connection: PostgresConnection,
  address: PostgresAddress,
  learnTime: (serverTime: number) => void,
): Promise<PostgresConnection> {
  try {
    const { connectTimeoutMs: answerWithinMs } = address
    const [{ rows }, which] = await Promise.all([
      connection.query(whoIsIt(address), [], { answerWithinMs }),
      connection.query(WHICH_IS_IT, [], { answerWithinMs }).catch(() => undefined), // on a standby, or not permitted
    ])
    const [server] = rows as unknown as Server[] // the columns of whoIsIt
    if (!server || server.standby || server.readOnly === 'on') throw new NotPrimary()
    if (server.version < OLDEST_VERSION)
      throw new OperatorError('PostgreSQL is too old: version 15 or later is needed.')
    if (!server.isFree) throw new OperatorError(RESTORING)
    learnTime(server.now)
    connection.server = String(which?.rows[0]?.['server'] ?? '')
    return connection
  } catch (error) {
    connection.close()
    throw wasTurnedAway(error) ? new NotPrimary() : error
  }
}

const RESTORING = 'A backup is being restored into this database: wait until that is done, then try again.'

export class NotPrimary extends Error {
  readonly code = 'NOT_PRIMARY'
  constructor() {
    super('a standby, which takes no writes')
  }
}

/** The driver's error when it detects a standby by itself. */
const wasTurnedAway = (error: unknown) => codeOf(error) === 'CONNECTION_DESTROYED'

const toError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
