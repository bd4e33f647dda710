import { sql } from 'kysely'
import { isPostgres } from '../db/locks.ts'
import type { Db, Tables } from '../db/tables.ts'
import { AppError } from '../lib/app-error.ts'

export const TABLE_KEYS: Record<Exclude<keyof Tables, 'migrationProgress'>, number> = {
  organization: 1,
  user: 2,
  membership: 3,
  invitation: 4,
  passwordReset: 2,
  emailVerification: 2,
  session: 2,
  apiKey: 2,
  deletedApiKey: 1,
  apiKeyLineage: 1,
  apiKeyUsage: 1,
  apiKeyUsageDay: 1,
  apiKeyCallLog: 1,
  revokedApiKey: 1,
  apiKeyExpiryNotification: 1,
  canaryApiKey: 2,
  device: 2,
  deviceTag: 2,
  deviceCheckIns: 2,
  deviceCount: 2,
  deviceView: 3,
  auditEvent: 2,
  email: 2,
  revocation: 1,
  revocationState: 0,
  secretFingerprint: 1,
  backupSchedule: 0,
  demoDevice: 1,
  webhook: 2,
  webhookEvent: 1,
  webhookDelivery: 1,
  webhookProgress: 2,
  idempotencyRecord: 1,
  storedBytes: 1,
  migration: 1,
}

/** No restore may be in progress: `pg_restore` loads rows in any order, and keys after them, so what is ended too early may be loaded afterwards. */
export async function requireComplete(db: Db): Promise<void> {
  if (!isPostgres(db)) return // it has no restore that others can see the half of
  const found = await keysOfTables(db)
  const incomplete = Object.entries(TABLE_KEYS).filter(([table, keys]) => (found.get(table) ?? 0) < keys)
  if (incomplete.length === 0) return
  const tables = incomplete.map(([table]) => table).join(', ')
  const message = `The database is not complete: primary or foreign keys are missing (${tables}). If it is being restored, wait until that is done; if the restore has failed, repeat it.`
  throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1, message, cause: new Error(message) })
}

export async function keysOfTables(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ table: string; keys: number }>`
    select "class"."relname" as "table", count(*) as "keys" from pg_constraint as "key"
    join pg_class as "class" on "class"."oid" = "key"."conrelid"
    where "key"."contype" in ('p', 'f') and pg_table_is_visible("class"."oid")
    and "class"."relnamespace" <> 'pg_catalog'::regnamespace group by 1`.execute(db)
  return new Map(rows.map(({ table, keys }) => [table, keys]))
}
