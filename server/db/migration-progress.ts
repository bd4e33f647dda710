import { sql } from 'kysely'
import type { ColumnTypes } from './database.ts'
import type { Db } from './tables.ts'

/** Where an upgrade is: the next step after the version that the database has, and the last row that the step changed. */
export interface MigrationProgress {
  version: number
  step: number
  after: string
}

/** How many migrations a database has had; throws if it has no table for them. */
export async function versionOf(db: Db): Promise<number> {
  const row = await db
    .selectFrom('migration')
    .select((eb) => eb.fn.max('version').as('version'))
    .executeTakeFirst()
  return row?.version ?? 0
}

/** The table is there only while an upgrade is in progress. */
export const createProgress = ({ text, integer, tableOptions }: ColumnTypes) =>
  sql.raw(
    `create table if not exists "migrationProgress" ("version" ${integer} primary key, "step" ${integer} not null, "after" ${text} not null) ${tableOptions}`,
  )

export async function progressOf(db: Db): Promise<MigrationProgress> {
  const version = await versionOf(db)
  const row = await db.selectFrom('migrationProgress').selectAll().where('version', '=', version).executeTakeFirst()
  return row ?? { version, step: 0, after: '' }
}

export async function writeProgress(db: Db, progress: MigrationProgress): Promise<void> {
  await db.deleteFrom('migrationProgress').execute()
  await db.insertInto('migrationProgress').values(progress).execute()
}

export const dropProgress = sql`drop table "migrationProgress"`

export const isSameProgress = (one: MigrationProgress, other: MigrationProgress) =>
  one.version === other.version && one.step === other.step && one.after === other.after

/** Whether an upgrade has changed something already, and was interrupted. */
export async function isUpgradeInProgress(db: Db): Promise<boolean> {
  const rows = await db
    .selectFrom('migrationProgress')
    .select('version')
    .execute()
    .catch(() => []) // there is no such table
  return rows.length > 0
}
