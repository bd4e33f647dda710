import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { AppError, OperatorError } from '../lib/app-error.ts'
import { MINUTE, SECOND } from '../lib/clock.ts'
import { codeOf } from '../lib/error-text.ts'
import { upTo } from '../lib/random.ts'
import type { Database } from './database.ts'
import { advisoryLock, freeLocksBeforeDisk, limitLockWaits } from './locks.ts'
import {
  createProgress,
  dropProgress,
  isSameProgress,
  type MigrationProgress,
  progressOf,
  versionOf,
  writeProgress,
} from './migration-progress.ts'
import { indexOf, type Migration, type RowChange, type Step, statementOf, stepsOf } from './migration-steps.ts'
import type { Db } from './tables.ts'

const FIRST_ROWS = 500
const MAX_ROWS = 2_000
/** More rows at once if they took less than the first, fewer if they took more than the second. */
const QUICK_MS = 100
const SLOW_MS = 200
const LOCK_WAIT_MS = 300 // whoever needs the table meanwhile waits behind the one that waits for its lock
const MAX_PAUSE_MS = SECOND
const PATIENCE_MS = 10 * MINUTE

/** How far an upgrade has come, for the operator: called for every step. */
export interface UpgradeReport {
  migration: string
  /** The version of the database that the migration leads to. */
  version: number
  /** How many rows of the current table have been looked at. */
  rows: number
}

export interface UpgradeOptions {
  report?: ((progress: UpgradeReport) => void) | undefined
  /** Settings that tests change. */
  firstRows?: number
  patienceMs?: number
}

/**
 * Upgrades a database in steps, each in a transaction of its own that holds its locks for less than a second, so that
 * other processes work meanwhile. Each step is recorded in its own transaction: after a kill, or beside another process
 * that upgrades too, it continues from there.
 */
export async function upgradeInSteps(
  database: Database,
  migrations: readonly Migration[],
  { report = () => {}, firstRows = FIRST_ROWS, patienceMs = PATIENCE_MS }: UpgradeOptions = {},
): Promise<{ applied: string[] }> {
  const applied: string[] = []
  const { columnTypes } = database
  let [rows, rowsAtOnce] = [0, firstRows]
  await patiently(patienceMs, () =>
    exclusively(database, async (db) => {
      const isOlder = (await versionOf(db)) < migrations.length // else another process was first, and has removed the table
      if (isOlder) await createProgress(columnTypes).execute(db)
    }),
  )
  for (;;) {
    const progress = await currentProgress(database, migrations.length)
    const migration = progress && migrations[progress.version]
    if (!migration) return { applied }
    report({ migration: migration.name, version: progress.version + 1, rows })
    const next = { progress, migration, isLast: progress.version === migrations.length - 1, rowsAtOnce }
    const began = performance.now()
    const taken = await patiently(patienceMs, () => takeStep(database, next))
    rows = taken === 'rows' ? rows + rowsAtOnce : 0
    if (taken === 'rows') rowsAtOnce = rowsAfter(rowsAtOnce, performance.now() - began)
    if (taken === 'migration') applied.push(migration.name)
  }
}

function rowsAfter(rows: number, ms: number): number {
  if (ms < QUICK_MS) return Math.min(2 * rows, MAX_ROWS)
  return ms > SLOW_MS ? Math.max(Math.floor(rows / 2), 1) : rows
}

/** Undefined: the upgrade is complete, perhaps by another process, which has removed the progress. */
async function currentProgress({ read }: Database, latest: number): Promise<MigrationProgress | undefined> {
  try {
    if ((await versionOf(read)) >= latest) return undefined
    return await progressOf(read)
  } catch (error) {
    if ((await versionOf(read)) >= latest) return undefined
    throw error
  }
}

interface NextStep {
  progress: MigrationProgress
  migration: Migration
  /** No migration follows this one. */
  isLast: boolean
  rowsAtOnce: number
}

type Taken = 'rows' | 'step' | 'migration' | 'nothing'

async function takeStep(database: Database, { progress, migration, isLast, rowsAtOnce }: NextStep): Promise<Taken> {
  const { columnTypes, now, createIndex } = database
  const steps = stepsOf(migration, columnTypes)
  const step = steps[progress.step] ?? ''
  const index = createIndex && indexOf(step)
  if (index) await createIndex(index, statementOf(step))
  return exclusively(database, async (db) => {
    if ((await versionOf(db)) !== progress.version || !isSameProgress(progress, await progressOf(db))) return 'nothing' // another process was first
    const changedTo = index ? undefined : await run(db, step, progress.after, rowsAtOnce)
    if (changedTo !== undefined) {
      await freeLocksBeforeDisk(db) // the last step of the migration waits for all of them
      await writeProgress(db, { ...progress, after: changedTo })
      return 'rows'
    }
    if (progress.step < steps.length - 1) {
      await writeProgress(db, { ...progress, step: progress.step + 1, after: '' })
      return 'step'
    }
    const version = progress.version + 1
    await db.insertInto('migration').values({ version, name: migration.name, appliedAt: now() }).execute()
    await (isLast ? dropProgress.execute(db) : writeProgress(db, { version, step: 0, after: '' }))
    return 'migration'
  })
}

/** Runs a step, or a part of it: then it returns the id of the last row. */
async function run(db: Db, step: Step, after: string, rowsAtOnce: number): Promise<string | undefined> {
  if (typeof step !== 'string') return changeRows(db, step, after, rowsAtOnce)
  await sql.raw(step).execute(db)
  return undefined
}

async function changeRows(db: Db, { table, set, where }: RowChange, after: string, rowsAtOnce: number) {
  const part = sql`select "id" from ${sql.table(table)} where "id" > ${after} order by "id" limit ${sql.lit(rowsAtOnce)}`
  const { rows } = await sql<{ last: string | null }>`select max("id") as "last" from (${part}) as "part"`.execute(db)
  const last = rows[0]?.last ?? undefined
  if (last === undefined) return undefined
  await sql`update ${sql.table(table)} set ${sql.raw(set)}
    where "id" > ${after} and "id" <= ${last} and (${sql.raw(where)})`.execute(db)
  return last
}

/** A transaction that waits a moment only for a lock that others have. */
const exclusively = <Result>(database: Database, work: (db: Db) => Promise<Result>): Promise<Result> =>
  database.transaction(
    async (db) => {
      await limitLockWaits(db, LOCK_WAIT_MS)
      await advisoryLock(db)
      return work(db)
    },
    { isLong: true },
  )

/** Tries again while others hold a lock that is needed. */
async function patiently<Result>(patienceMs: number, work: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isLockedOut(error)) throw error
      if (performance.now() > until)
        throw new OperatorError(
          'The database cannot be upgraded: another program holds a lock on one of its tables. End its transaction, then start again: the upgrade continues where it stopped.',
          error,
        )
    }
    await pause(upTo(MAX_PAUSE_MS))
  }
}

/** By its code on PostgreSQL, as the driver is loaded only when it is needed. */
const isLockedOut = (error: unknown): boolean => error instanceof AppError && codeOf(error.cause) === '55P03'
