import { type CompiledQuery, Kysely, sql } from 'kysely'
import { ConcurrencyLimit } from '../../lib/concurrency-limit.ts'
import { type HeavyReads, type Requester, tookTooLong, tooManyWaiting } from '../heavy-reads.ts'
import type { Db, Tables } from '../tables.ts'
import { postgresDialect } from './dialect.ts'
import { asAppError, isOutOfTime } from './errors.ts'
import type { PostgresPool } from './pool.ts'
import { transact } from './transaction.ts'

const SHARE_OF_ALL = 1 / 2
const SHARE_OF_ORGANIZATION = 1 / 8

interface Options extends HeavyReads {
  connections: number
  /** Behind a pooler, a statement has a time limit only inside a transaction. */
  inTransaction: boolean
}

/** A bounded share of the connections. Each is one process of the server: with parallel workers, a few would take all cores. */
export function createHeavyReads(pool: PostgresPool, options: Options): (requester: Requester) => Db {
  const shareOf = (part: number) => Math.max(1, Math.floor(options.connections * part))
  const limit = new ConcurrencyLimit({
    atOnce: shareOf(SHARE_OF_ALL),
    atOnceOfGroup: shareOf(SHARE_OF_ORGANIZATION),
    maxWaiting: options.maxWaiting,
    maxWaitingOfGroup: options.maxWaitingOfOrganization,
    patienceMs: options.patienceMs,
    refusal: tooManyWaiting,
  })

  const run = (query: CompiledQuery, organizationId: string) =>
    pool.use((connection) => connection.query(query.sql, query.parameters), organizationId)
  const ask = options.inTransaction ? askInTransaction(pool) : run

  return ({ organizationId, isDisconnected }) =>
    new Kysely<Tables>({
      dialect: postgresDialect((query) =>
        limit.run(organizationId, () => ask(query, organizationId).catch(toAppError), isDisconnected),
      ),
    })
}

const askInTransaction = (pool: PostgresPool) => async (query: CompiledQuery, organizationId: string) => {
  const work = async (db: Db) => {
    await sql`set local max_parallel_workers_per_gather = 0`.execute(db) // there is no session to set it for
    return db.executeQuery<Record<string, unknown>>(query)
  }
  const { rows } = await pool.use((connection) => transact(connection, work), organizationId)
  return { rows, count: rows.length }
}

function toAppError(error: unknown): never {
  throw isOutOfTime(error) ? tookTooLong(error) : asAppError(error)
}
