import { hash } from 'node:crypto'
import { PostgresAdapter, type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from './tables.ts'

/*
 * Locks inside a transaction. On SQLite a transaction has the whole database to itself, so none is needed there.
 */

type Query<All, Table extends keyof All, Row> = SelectQueryBuilder<All, Table, Row>

export const isPostgres = (db: Db) => db.getExecutor().adapter instanceof PostgresAdapter

/** The rows cannot be deleted until this transaction ends; they may be changed. */
export const forKeyShare = <All, Table extends keyof All, Row>(db: Db, query: Query<All, Table, Row>) =>
  isPostgres(db) ? query.forKeyShare() : query

/** The rows can be neither changed nor deleted until this transaction ends. */
export const forShare = <All, Table extends keyof All, Row>(db: Db, query: Query<All, Table, Row>) =>
  isPostgres(db) ? query.forShare() : query

/** Only this transaction may change the rows: others that lock them for a share or a change wait. */
export const forNoKeyUpdate = <All, Table extends keyof All, Row>(db: Db, query: Query<All, Table, Row>) =>
  isPostgres(db) ? query.forNoKeyUpdate() : query

/** Only this transaction may change or delete the rows: others that lock them in any way wait. */
export const forUpdate = <All, Table extends keyof All, Row>(db: Db, query: Query<All, Table, Row>) =>
  isPostgres(db) ? query.forUpdate() : query

/** Locks without waiting: rows that another transaction has locked are skipped. */
export const forUpdateSkipLocked = <All, Table extends keyof All, Row>(db: Db, query: Query<All, Table, Row>) =>
  isPostgres(db) ? query.forUpdate().skipLocked() : query

/** From here on the transaction fails rather than waits longer for a lock. On SQLite it has all locks. */
export async function limitLockWaits(db: Db, ms: number): Promise<void> {
  if (isPostgres(db)) await sql`select set_config('lock_timeout', ${String(ms)}, true)`.execute(db)
}

/** Frees the locks before the transaction is on disk, so a crash may undo it: only for work that a later one, which waits for the disk, completes. */
export async function freeLocksBeforeDisk(db: Db): Promise<void> {
  if (isPostgres(db)) await sql`select set_config('synchronous_commit', 'off', true)`.execute(db)
}

/** Locks out all other processes: for work that is done once for a database. */
export async function advisoryLock(db: Db): Promise<void> {
  if (isPostgres(db)) await sql`select pg_advisory_xact_lock(${ONCE})`.execute(db)
}

/** Locks out other processes that do the thing of this name, until the transaction ends. */
export async function lockByName(db: Db, name: string): Promise<void> {
  if (!isPostgres(db)) return
  const number = hash('sha256', name, 'buffer').readBigInt64BE(0)
  await sql`select pg_advisory_xact_lock(${String(number)}::bigint)`.execute(db)
}

/** False: another process does the background jobs. It only saves work: on SQLite every process gets the lock, one after the other. */
export async function tryAdvisoryLock(db: Db): Promise<boolean> {
  if (!isPostgres(db)) return true
  const { rows } = await sql<{ free: boolean }>`select pg_try_advisory_xact_lock(${JOBS}) as "free"`.execute(db)
  return rows[0]?.free === true
}

const ONCE = 7_306_001_451_000 // any number, the same in every process
const JOBS = 7_306_001_451_001
/** Shared by all connections of portals and commands, and held alone by a restore. */
export const IN_USE = 7_306_001_451_002
