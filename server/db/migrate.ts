import { sql } from 'kysely'
import { OperatorError } from '../lib/app-error.ts'
import { PORTAL } from '../lib/command-name.ts'
import type { ColumnTypes, Database } from './database.ts'
import { advisoryLock } from './locks.ts'
import { isUpgradeInProgress, versionOf } from './migration-progress.ts'
import { type Migration, statementOf, stepsOf } from './migration-steps.ts'
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
import * as rulesVersion from './migrations/0012-rules-version.ts'
import * as secretFingerprints from './migrations/0013-secret-fingerprints.ts'
import * as backupSchedule from './migrations/0014-backup-schedule.ts'
import * as pausedKeys from './migrations/0015-paused-keys.ts'
import * as auditChanges from './migrations/0016-audit-changes.ts'
import * as canaryKeys from './migrations/0017-canary-keys.ts'
import * as usageByField from './migrations/0018-usage-by-field.ts'
import * as demoDevices from './migrations/0019-demo-devices.ts'
import * as deviceOrders from './migrations/0020-device-orders.ts'
import * as idempotency from './migrations/0021-idempotency.ts'
import * as webhooks from './migrations/0022-webhooks.ts'
import * as reservedSlugs from './migrations/0023-reserved-slugs.ts'
import * as raisedInvitations from './migrations/0024-raised-invitations.ts'
import * as webhookEvents from './migrations/0025-webhook-events.ts'
import * as storedBytes from './migrations/0026-stored-bytes.ts'
import * as deviceCheckIns from './migrations/0027-device-check-ins.ts'
import * as deviceViews from './migrations/0028-device-views.ts'
import type { Db } from './tables.ts'
import { type UpgradeOptions, upgradeInSteps } from './upgrade.ts'

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
  rulesVersion,
  secretFingerprints,
  backupSchedule,
  pausedKeys,
  auditChanges,
  canaryKeys,
  usageByField,
  demoDevices,
  deviceOrders,
  idempotency,
  webhooks,
  reservedSlugs,
  raisedInvitations,
  webhookEvents,
  storedBytes,
  deviceCheckIns,
  deviceViews,
]

interface MigrateOptions extends UpgradeOptions {
  refusesOlder?: boolean
  /** Called with the version of an existing database before its upgrade begins. */
  beforeUpgrade?: ((version: number) => Promise<void>) | undefined
}

/** Brings a database to this version: an empty one in one transaction that excludes other processes, an existing one in steps beside them. */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<{ applied: string[] }> {
  let version = await versionOf(database.read).catch(() => 0) // no table yet; a real error occurs again below
  if (version === 0) {
    const { applied } = await database.transaction((db) => bringUpTo(db, database), { noTimeout: true })
    if (applied.length > 0) return { applied }
    version = await versionOf(database.read) // another process was first
  }
  if (version === MIGRATIONS.length) return { applied: [] }
  if (version > MIGRATIONS.length) throw newerDatabase(version)
  if (options.refusesOlder) throw olderDatabase(version)
  if (!(await isUpgradeInProgress(database.read))) await options.beforeUpgrade?.(version)
  return upgradeInSteps(database, MIGRATIONS, options)
}

/** What a database lacks; throws if it is newer than this program. */
export async function pendingMigrations({ read }: Database): Promise<{ version: number; pending: string[] }> {
  const version = await versionOf(read).catch(() => 0)
  if (version > MIGRATIONS.length) throw newerDatabase(version)
  return { version, pending: MIGRATIONS.slice(version).map(({ name }) => name) }
}

/** Brings a database that nobody else uses to a version, inside one transaction. */
export async function bringUpTo(
  db: Db,
  { columnTypes, now }: Pick<Database, 'columnTypes' | 'now'>,
  upTo = MIGRATIONS.length,
): Promise<{ applied: string[] }> {
  await advisoryLock(db)
  await sql.raw(migrationTable(columnTypes)).execute(db)
  const version = await versionOf(db) // another process may have been first
  const wanted = MIGRATIONS.slice(version, upTo)
  for (const [index, migration] of wanted.entries()) {
    for (const step of stepsOf(migration, columnTypes)) await sql.raw(statementOf(step)).execute(db)
    await db
      .insertInto('migration')
      .values({ version: version + index + 1, name: migration.name, appliedAt: now() })
      .execute()
  }
  return { applied: wanted.map((migration) => migration.name) }
}

export const newerDatabase = (version: number) =>
  new OperatorError(
    `The database is newer than this program (version ${version}, this one knows ${MIGRATIONS.length}): start the newer program, or restore a backup made before the upgrade.`,
  )

const olderDatabase = (version: number) =>
  new OperatorError(
    `The database is older than this program (version ${version}, this one needs ${MIGRATIONS.length}), and nothing was changed: use the program of the portal that runs on it, or upgrade it with ${PORTAL} migrate or by starting this version.`,
  )

const migrationTable = ({ text, integer, tableOptions }: ColumnTypes) =>
  `create table if not exists "migration" ("version" ${integer} primary key, "name" ${text} not null, "appliedAt" ${integer} not null) ${tableOptions}`

/** Every table that the portal has now or had once, but the one of the migrations themselves. */
export function portalTables({ columnTypes }: Pick<Database, 'columnTypes'>): Set<string> {
  const names = /(?:create table|alter table "\w+" rename to) "(\w+)"/g
  const statements = MIGRATIONS.flatMap((migration) => stepsOf(migration, columnTypes).map(statementOf))
  const created = statements.flatMap((statement) => [...statement.matchAll(names)])
  return new Set(created.map(([, name]) => name ?? ''))
}
