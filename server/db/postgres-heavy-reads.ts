import { type CompiledQuery, Kysely } from 'kysely'
import { FairQueue } from '../lib/fair-queue.ts'
import { type Asker, type HeavyReads, tookTooLong } from './heavy-reads.ts'
import { dialectOf } from './postgres-driver.ts'
import { asFailure, isOutOfTime } from './postgres-errors.ts'
import type { PostgresPool } from './postgres-pool.ts'
import { transact } from './postgres-transaction.ts'
import type { Db, Tables } from './tables.ts'

const SHARE_OF_ALL = 1 / 2
const SHARE_OF_ORGANIZATION = 1 / 4

interface Options extends HeavyReads {
  connections: number
  /** Behind a pooler, where a statement has a time limit only inside of a transaction. */
  inTransaction: boolean
}

/** Heavy reads on a bounded share of the connections: the others are left to whoever asks for little. */
export function createHeavyReads(pool: PostgresPool, options: Options): (asker: Asker) => Db {
  const shareOf = (part: number) => Math.max(1, Math.floor(options.connections * part))
  const queue = new FairQueue({
    atOnce: shareOf(SHARE_OF_ALL),
    atOnceOfGroup: shareOf(SHARE_OF_ORGANIZATION),
    maxWaiting: options.maxWaiting,
    maxWaitingOfGroup: options.maxWaitingOfOrganization,
    patienceMs: options.patienceMs,
  })

  const ask = ({ sql, parameters }: CompiledQuery) => pool.use((connection) => connection.query(sql, parameters))
  const run = options.inTransaction ? (query: CompiledQuery) => askInTransaction(pool, query) : ask

  return ({ organizationId, isGone }) =>
    new Kysely<Tables>({
      dialect: dialectOf((query) => queue.run(organizationId, () => run(query).catch(toFailure), isGone)),
    })
}

async function askInTransaction(pool: PostgresPool, query: CompiledQuery) {
  const { rows } = await pool.use((connection) =>
    transact(connection, (db) => db.executeQuery<Record<string, unknown>>(query), { unhurried: false }),
  )
  return { rows, count: rows.length }
}

function toFailure(error: unknown): never {
  throw isOutOfTime(error) ? tookTooLong(error) : asFailure(error)
}
