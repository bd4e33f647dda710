import { sql } from 'kysely'
import { OperatorError } from '../lib/app-error.ts'
import type { ColumnTypes, Database } from './database.ts'
import { advisoryLock } from './locks.ts'
import * as firstTables from './migrations/0001-first-tables.ts'
import * as neverSeen from './migrations/0002-never-seen.ts'
import * as lifeOfAKey from './migrations/0003-life-of-a-key.ts'
import * as people from './migrations/0004-people.ts'
import * as peopleInOrder from './migrations/0005-people-in-order.ts'
import * as shares from './migrations/0006-shares.ts'
import * as cleanLastUse from './migrations/0007-clean-last-use.ts'
import * as fieldNames from './migrations/0008-field-names.ts'
import * as deletedKeys from './migrations/0009-deleted-keys.ts'
import * as expiryNames from './migrations/0010-expiry-names.ts'
import * as revocations from './migrations/0011-revocations.ts'
import * as secretFingerprints from './migrations/0013-secret-fingerprints.ts'
import type { Db } from './tables.ts'

export interface Migration {
  name: string
  up: (types: ColumnTypes) => string
}

/** In order, forward only. The version of a database is how many of them it has. */
export const MIGRATIONS: readonly Migration[] = [
  firstTables,
  neverSeen,
  lifeOfAKey,
  people,
  peopleInOrder,
  shares,
  cleanLastUse,
  fieldNames,
  deletedKeys,
  expiryNames,
  revocations,
  secretFingerprints,
]

/** Migrates the database to this program's version, in one transaction that excludes other processes. */
export async function migrate(database: Database): Promise<{ applied: string[] }> {
  const before = await versionOf(database.read).catch(() => 0) // no table yet; a real error occurs again below
  if (before === MIGRATIONS.length) return { applied: [] }
  return database.transaction((db) => bringUpToDate(db, database), { noTimeout: true })
}

async function bringUpToDate(db: Db, { columnTypes, now }: Database): Promise<{ applied: string[] }> {
  await advisoryLock(db)
  await sql.raw(migrationTable(columnTypes)).execute(db)
  const version = await versionOf(db) // again: another process may have been first
  if (version > MIGRATIONS.length) {
    throw new OperatorError(
      `The database is newer than this program (version ${version}, this one knows ${MIGRATIONS.length}): start the newer program, or restore a backup made before the upgrade.`,
    )
  }
  const pending = MIGRATIONS.slice(version)
  for (const [index, migration] of pending.entries()) {
    for (const statement of migration.up(columnTypes).split(';')) await sql.raw(statement).execute(db)
    await db
      .insertInto('migration')
      .values({ version: version + index + 1, name: migration.name, appliedAt: now() })
      .execute()
  }
  return { applied: pending.map((migration) => migration.name) }
}

const migrationTable = ({ text, integer, tableOptions }: ColumnTypes) =>
  `create table if not exists "migration" ("version" ${integer} primary key, "name" ${text} not null, "appliedAt" ${integer} not null) ${tableOptions}`

async function versionOf(db: Db): Promise<number> {
  const row = await db
    .selectFrom('migration')
    .select((eb) => eb.fn.max('version').as('version'))
    .executeTakeFirst()
  return row?.version ?? 0
}
