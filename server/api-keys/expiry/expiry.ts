import { sql } from 'kysely'
import { about, insertEvent } from '../../audit/audit-event.ts'
import { deletedWith } from '../../audit/changed-fields.ts'
import { type Actor, type Ctx, requireAdmin, type TransactionCtx } from '../../caller/ctx.ts'
import { LIMITS } from '../../config/limits.ts'
import { API_KEY_COLUMNS } from '../../db/api-key-row.ts'
import { countRowsUpTo } from '../../db/count.ts'
import type { Database } from '../../db/database.ts'
import { inParts } from '../../db/in-parts.ts'
import { forUpdate, forUpdateSkipLocked } from '../../db/locks.ts'
import type { Db } from '../../db/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { DAY } from '../../lib/clock.ts'
import { type ApiKey, auditedKeyInFull } from '../api-key.ts'
import { deleteKeys } from '../deletion.ts'

export const FIRST_NOTIFICATION_DAYS = 30
const LAST_PART = 5
const RETENTION_MS = 30 * DAY
const REMOVED_AT_ONCE = 25
const REMOVED_FOR_ONE = 10
export const MAX_LISTED = 500

/** The actor of what the portal does by itself. */
export const PORTAL: Actor = { kind: 'SYSTEM', id: null, name: 'portal' }

type Lifetime = Pick<ApiKey, 'createdAt' | 'expiresAt'>

/** Whether a key expires within 30 days, and within the last fifth of its lifetime. */
export const isExpiring = ({ createdAt, expiresAt }: Lifetime, now: number) =>
  expiresAt !== null &&
  expiresAt > now &&
  expiresAt <= now + FIRST_NOTIFICATION_DAYS * DAY &&
  (expiresAt - now) * LAST_PART <= expiresAt - createdAt

/** Whether it is in the last fifth of its lifetime, as a condition. */
export const isInLastPart = (now: number) =>
  sql<boolean>`("apiKey"."expiresAt" - ${now}) * ${LAST_PART} <= "apiKey"."expiresAt" - "apiKey"."createdAt"`

/** The keys of the organization that expire soon and are not replaced yet, the soonest first. */
export async function listExpiringKeys(ctx: Ctx): Promise<{ apiKey: ApiKey; daysLeft: number }[]> {
  requireAdmin(ctx.caller)
  const now = ctx.now()
  const keys = await ctx.reads
    .selectFrom('apiKey')
    .select(API_KEY_COLUMNS)
    .where('organizationId', '=', ctx.caller.organizationId)
    .where('expiresAt', '>', now)
    .where('expiresAt', '<=', now + FIRST_NOTIFICATION_DAYS * DAY)
    .where(isInLastPart(now))
    .where('replacedById', 'is', null)
    .orderBy('expiresAt')
    .orderBy('id')
    .limit(MAX_LISTED)
    .execute()
  return keys.map((apiKey) => ({ apiKey, daysLeft: Math.ceil(((apiKey.expiresAt ?? now) - now) / DAY) }))
}

export const isExpired = ({ expiresAt }: Pick<ApiKey, 'expiresAt'>, now: number) =>
  expiresAt !== null && expiresAt <= now

/** Deletes keys that expired 30 days ago: until then they are listed, and refused as expired. */
export async function removeExpiredKeys(database: Database, now: number): Promise<void> {
  const long = now - RETENTION_MS
  const expired = (db: Db) =>
    db
      .selectFrom('apiKey')
      .select(['id', 'label', 'organizationId', 'expiresAt', 'rules'])
      .where('expiresAt', '<=', long)
  const find = (db: Db) => expired(db).orderBy('expiresAt').limit(REMOVED_AT_ONCE).execute()
  await inParts(database, find, async (db, found) => {
    const ids = found.map(({ id }) => id)
    await remove(db, await forUpdate(db, expired(db).where('id', 'in', ids).orderBy('id')).execute(), now)
  })
}

/** Deletes some of the oldest expired keys, of which there are always some. Waiting for one that is locked could be a deadlock. */
export async function removeOldestExpired({ db, caller: { organizationId }, now }: TransactionCtx): Promise<void> {
  const all = db.selectFrom('apiKey').where('organizationId', '=', organizationId)
  const surplus = (await countRowsUpTo(db, all, LIMITS.stored_keys + REMOVED_FOR_ONE)) + 1 - LIMITS.stored_keys
  if (surplus <= 0) return
  const oldest = oldestExpired(db, organizationId, now()).limit(Math.min(surplus, REMOVED_FOR_ONE))
  await remove(db, await forUpdateSkipLocked(db, oldest).execute(), now())
}

/** In the order in which all transactions lock keys. */
export const oldestExpired = (db: Db, organizationId: string, now: number) =>
  db
    .selectFrom('apiKey')
    .select(['id', 'label', 'organizationId', 'expiresAt', 'rules'])
    .where('organizationId', '=', organizationId)
    .where('expiresAt', '<=', now)
    .orderBy('id')

type ExpiredKey = Pick<ApiKey, 'id' | 'label' | 'organizationId' | 'expiresAt' | 'rules'>

async function remove(db: Transaction, keysToRevoke: ExpiredKey[], now: number): Promise<void> {
  for (const expired of keysToRevoke) {
    const { id, label, organizationId } = expired
    const changes = deletedWith(auditedKeyInFull(expired))
    const event = { action: 'api_key.removed', ...about('API_KEY', id, label), details: `key ${id}`, changes } as const
    await insertEvent(db, now, { ...event, actor: PORTAL, organizationId })
  }
  const ids = keysToRevoke.map(({ id }) => id)
  await deleteKeys(db, ids, { at: now, by: PORTAL, cause: 'EXPIRED' })
}
