import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { insertEvent } from '../../audit/audit-event.ts'
import { deletedWith } from '../../audit/changes.ts'
import { type Actor, type Ctx, requireAdmin } from '../../ctx.ts'
import { countRowsUpTo } from '../../db/count.ts'
import type { Database } from '../../db/database.ts'
import { forUpdate, forUpdateSkipLocked, tryAdvisoryLock } from '../../db/locks.ts'
import type { Db } from '../../db/tables.ts'
import { DAY } from '../../lib/clock.ts'
import { LIMITS } from '../../limits.ts'
import { API_KEY_COLUMNS, type ApiKey, auditedKeyInFull } from '../api-key.ts'
import { deleteKeysAtCommit } from '../deletion.ts'

export const FIRST_NOTIFICATION_DAYS = 30
const RETENTION_MS = 30 * DAY
const REMOVED_AT_ONCE = 25
const REMOVED_FOR_ONE = 10
const MOST_LISTED = 500

/** The actor of what the portal does by itself. */
export const PORTAL: Actor = { kind: 'SYSTEM', id: null, name: 'portal' }

/** The keys of the organization that expire within 30 days and are not replaced yet, the soonest first. */
export async function listExpiringKeys(ctx: Ctx): Promise<{ apiKey: ApiKey; daysLeft: number }[]> {
  requireAdmin(ctx.caller)
  const now = ctx.now()
  const keys = await ctx.db
    .selectFrom('apiKey')
    .select(API_KEY_COLUMNS)
    .where('organizationId', '=', ctx.caller.organizationId)
    .where('expiresAt', '>', now)
    .where('expiresAt', '<=', now + FIRST_NOTIFICATION_DAYS * DAY)
    .where('replacedById', 'is', null)
    .orderBy('expiresAt')
    .orderBy('id')
    .limit(MOST_LISTED)
    .execute()
  return keys.map((apiKey) => ({ apiKey, daysLeft: Math.ceil(((apiKey.expiresAt ?? now) - now) / DAY) }))
}

export const isExpired = ({ expiresAt }: Pick<ApiKey, 'expiresAt'>, now: number) =>
  expiresAt !== null && expiresAt <= now

/**
 * Deletes keys that expired 30 days ago: until then they are listed, and refused with the error that they have expired.
 */
export async function removeExpiredKeys(database: Database, now: number): Promise<void> {
  const long = now - RETENTION_MS
  const expired = (db: Db) =>
    db
      .selectFrom('apiKey')
      .select(['id', 'label', 'organizationId', 'expiresAt', 'rules'])
      .where('expiresAt', '<=', long)
  for (;;) {
    const found = await expired(database.read).orderBy('expiresAt').limit(REMOVED_AT_ONCE).execute()
    if (found.length === 0) return
    const isOurs = await database.transaction(async (db) => {
      if (!(await tryAdvisoryLock(db))) return false
      const ids = found.map(({ id }) => id)
      const keysToRevoke = await forUpdate(db, expired(db).where('id', 'in', ids).orderBy('id')).execute()
      await remove(db, keysToRevoke, now)
      return true
    })
    if (!isOurs) return
    await yieldToEventLoop() // SQLite runs synchronously, so other work would have to wait
  }
}

/**
 * Makes room for one more key in an organization that has its maximum and is locked by the caller: deletes a few of its
 * oldest expired keys, never an active one. There are always some, since the limit on active keys is lower. Skips a key
 * that another transaction has locked: waiting for it could be a deadlock.
 */
export async function removeOldestExpired({ db, caller: { organizationId }, now }: Ctx): Promise<void> {
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

async function remove(db: Db, keysToRevoke: ExpiredKey[], now: number): Promise<void> {
  for (const expired of keysToRevoke) {
    const { id, label: subject, organizationId } = expired
    const key = { subjectType: 'API_KEY', subjectId: id, changes: deletedWith(auditedKeyInFull(expired)) } as const
    const event = { action: 'api_key.removed', subject, details: `key ${id}`, ...key } as const
    await insertEvent(db, now, { ...event, actor: PORTAL, organizationId })
  }
  await deleteKeysAtCommit(
    db,
    keysToRevoke.map(({ id }) => id),
    { at: now, by: PORTAL, cause: 'EXPIRED' },
  )
}
