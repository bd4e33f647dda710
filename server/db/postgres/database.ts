import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { PostgresAddress } from '../../lib/postgres-address.ts'
import { upTo } from '../../lib/random.ts'
import { within } from '../../lib/within.ts'
import { NO_ORGANIZATION } from '../connection-waits.ts'
import type { ColumnTypes, Database, LookupCounts, OpenOptions } from '../database.ts'
import { HEAVY_READS } from '../heavy-reads.ts'
import { KnownPoint } from '../known-point.ts'
import type { Lookup, LookupColumns, LookupValues } from '../lookup.ts'
import { Reads } from '../prepared.ts'
import type { PostgresConnection } from './connection.ts'
import { postgresDialect } from './dialect.ts'
import { asAppError, isConflict, isNotPermitted, unavailable } from './errors.ts'
import { createHeavyReads } from './heavy-reads.ts'
import { createIndexConcurrently } from './indexes.ts'
import type { AnyLookup } from './lookup-query.ts'
import { PostgresLookups } from './lookups.ts'
import { cannotOpen } from './open-errors.ts'
import { PostgresPool } from './pool.ts'
import { connectToPrimary } from './primary.ts'
import { createServerClock } from './server-clock.ts'
import { POSTGRES_TIMEOUTS } from './timeouts.ts'
import { transact, UNLIMITED } from './transaction.ts'

const MAX_ATTEMPTS = 10
const MAX_READERS = 1000
const MAX_PAUSE_MS = 50

export const COLUMN_TYPES: ColumnTypes = {
  dialect: 'postgres',
  text: 'text collate "C"', // sorts as SQLite does, so that pages and cursors agree
  integer: 'bigint',
  bytes: 'bytea',
  tableOptions: '',
}

/** Opens a PostgreSQL database: a pool for reads and writes, and one more connection for lookups. */
export async function openPostgres(
  address: PostgresAddress,
  { now, timeouts: given, heavyReads: givenLimits }: OpenOptions = {},
): Promise<Database> {
  const timeouts = { ...POSTGRES_TIMEOUTS, ...given }
  const clock = createServerClock()
  const point = new KnownPoint()
  let server = ''
  const open = async () => {
    const connection = await connectToPrimary(address, timeouts, clock.learn)
    server = connection.server || server // empty: it could not be asked
    point.connectedTo(connection.server)
    return connection
  }
  const isCurrent = (connection: PostgresConnection) => connection.server === '' || connection.server === server // not a primary that has been replaced since
  const pool = new PostgresPool(
    () =>
      open().catch((error) => {
        throw unavailable(error) // whatever the error: requests that have a connection are not affected
      }),
    { limit: address.connectionLimit, patienceMs: timeouts.connectionMs, isCurrent },
  )
  await pool
    .use(async () => {})
    .catch(({ cause }) => {
      throw cannotOpen(address, cause)
    })
  const readFor = (organizationId: string) => {
    /** Equal reads that wait for a connection are sent once, after all of them arrived: see docs/decisions/0070. */
    const waiting = new Map<string, ReturnType<PostgresConnection['query']>>()
    const send = (name: string, text: string, values: readonly unknown[]) => {
      const sent = pool.use((connection) => {
        waiting.delete(name)
        return connection.query(text, values)
      }, organizationId)
      sent.catch(() => waiting.delete(name)) // it may have got no connection
      waiting.set(name, sent)
      return sent
    }
    const run = async (text: string, values: readonly unknown[]) => {
      const name = JSON.stringify([text, values])
      const answer = await (waiting.get(name) ?? send(name, text, values)).catch(toAppError)
      return { ...answer, rows: [...answer.rows] } // a list of its own for each
    }
    return new Reads(
      postgresDialect(({ sql, parameters }) => run(sql, parameters)),
      run,
    )
  }
  const readers = new LRUCache<string, Reads>({ max: MAX_READERS, memoMethod: readFor })
  const read = readFor(NO_ORGANIZATION)
  const heavyReads = createHeavyReads(pool, {
    ...HEAVY_READS,
    ...givenLimits,
    connections: address.connectionLimit,
    inTransaction: address.pgbouncer,
  })
  const counts: LookupCounts = { asked: 0, queries: 0 }
  const lookups = new PostgresLookups({
    open,
    db: read,
    learnTime: clock.learn,
    counts,
    point,
    deadlineMs: timeouts.lookupMs,
  })

  return {
    read,
    readFor: (organizationId) => readers.memo(organizationId),
    heavyRead: heavyReads,
    columnTypes: COLUMN_TYPES,
    wasLeftOpen: false, // its server recovers by itself
    location: `${address.database} at ${address.hosts.map(({ host, port }) => `${host}:${port}`).join(', ')}`,
    now: now ?? clock.now,
    async lookUp<Columns extends LookupColumns, Row>(lookup: Lookup<Columns, Row>, values: LookupValues<Columns>) {
      const found = await lookups.lookUp(lookup as unknown as AnyLookup, values) // the caller knows the type of the row
      return { ...found, row: found.row as Row | undefined, now: now?.() ?? found.now }
    },
    lookups: counts,
    point,
    transaction: (work, { organizationId, ...options } = {}) =>
      retryConflicts(() => pool.use((connection) => transact(connection, work, options), organizationId)).catch(
        (error) => {
          throw isNotPermitted(error) ? cannotOpen(address, error) : error
        },
      ),
    settleRevocations: async () => false, // openWithLedger adds it
    logsDurably: false,
    async createIndex(name, statement) {
      const connection = await connectToPrimary(address, { ...timeouts, ...UNLIMITED }, clock.learn)
      await createIndexConcurrently(connection, name, statement)
        .catch(toAppError)
        .finally(() => connection.close())
    },
    async ping() {
      await lookups.ping()
      const answered = read.selectFrom('migration').select('version').limit(1).execute()
      await within(timeouts.pingMs, answered, () => new Error('No connection was free in time.'))
    },
    async close() {
      lookups.close()
      pool.close()
    },
  }
}

/** Repeats a transaction that was rolled back because of a conflict with another one. */
async function retryConflicts<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw asAppError(error)
    }
    await pause(upTo(MAX_PAUSE_MS)) // so that the same two do not conflict again
  }
}

function toAppError(error: unknown): never {
  throw asAppError(error)
}
