import { type Compilable, type CompiledQuery, PostgresAdapter, type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from './tables.ts'

/*
 * Locks inside a transaction. On SQLite a transaction has the whole database to itself, so none is needed there.
 */

type Query<All, Table extends keyof All, Row> = SelectQueryBuilder<All, Table, Row>

export const isPostgres = (db: Db) => db.getExecutor().adapter instanceof PostgresAdapter

/** What is found is not deleted until this transaction ends: whoever wants to, waits. It may be changed. */
export const keep = <All, Table extends keyof All, Row>(db: Db, query: Query<All, Table, Row>) =>
  isPostgres(db) ? query.forKeyShare() : query

/** What is found is neither changed nor deleted until this transaction ends. */
export const freeze = <All, Table extends keyof All, Row>(db: Db, query: Query<All, Table, Row>) =>
  isPostgres(db) ? query.forShare() : query

/** What is found is this transaction's alone to change: others who hold, freeze or change it wait. */
export const hold = <All, Table extends keyof All, Row>(db: Db, query: Query<All, Table, Row>) =>
  isPostgres(db) ? query.forNoKeyUpdate() : query

/** What is found is this transaction's alone to delete: others who keep, freeze, hold or change it wait. */
export const claim = <All, Table extends keyof All, Row>(db: Db, query: Query<All, Table, Row>) =>
  isPostgres(db) ? query.forUpdate() : query

/** The same, without waiting: what somebody else has claimed is not found. */
export const claimFree = <All, Table extends keyof All, Row>(db: Db, query: Query<All, Table, Row>) =>
  isPostgres(db) ? query.forUpdate().skipLocked() : query

const last = new WeakSet<CompiledQuery>()

/**
 * Writes when all the rest is done, on PostgreSQL in one round trip with the commit: others wait for its rows no longer than
 * the server takes, however busy this process is. For what nobody looks at in the same transaction.
 */
export async function atTheEnd(db: Db, query: Compilable): Promise<void> {
  const compiled = query.compile()
  last.add(compiled)
  await db.executeQuery(compiled)
}

export const isForTheEnd = (query: CompiledQuery) => last.has(query)

/** One at a time among all processes: what is done once in the life of a database. */
export async function alone(db: Db): Promise<void> {
  if (isPostgres(db)) await sql`select pg_advisory_xact_lock(${ONCE})`.execute(db)
}

/**
 * Whether this transaction is the only one among all processes that does chores: who is told no leaves them to the other. It
 * spares work and decides nothing, since on SQLite everybody is told yes, one after the other.
 */
export async function tryAlone(db: Db): Promise<boolean> {
  if (!isPostgres(db)) return true
  const { rows } = await sql<{ free: boolean }>`select pg_try_advisory_xact_lock(${CHORES}) as "free"`.execute(db)
  return rows[0]?.free === true
}

const ONCE = 7_306_001_451_000 // any number, the same in every process
const CHORES = 7_306_001_451_001
