import { setImmediate as breathe } from 'node:timers/promises'
import { insertEvent } from '../audit/audit-event.ts'
import { type Actor, type Ctx, requireAdmin } from '../ctx.ts'
import { countRowsUpTo } from '../db/count.ts'
import type { Database } from '../db/database.ts'
import { atTheEnd, claim, claimFree, tryAlone } from '../db/locks.ts'
import type { Db } from '../db/tables.ts'
import { DAY } from '../lib/clock.ts'
import { LIMITS } from '../limits.ts'
import { API_KEY_COLUMNS, type ApiKey } from './api-key.ts'
import { DELETED_AT_ONCE } from './revoke.ts'

export const FIRST_WARNING_DAYS = 30
const KEPT_AFTER_END_MS = 30 * DAY
const REMOVED_AT_ONCE = 25
const MOST_LISTED = 500

/** Who does what time demands. */
export const PORTAL: Actor = { kind: 'SYSTEM', id: null, name: 'portal' }

/** The keys of the organization that end within 30 days and are not replaced yet, the soonest first. */
export async function listWarnings(ctx: Ctx): Promise<{ apiKey: ApiKey; daysLeft: number }[]> {
  requireAdmin(ctx.caller)
  const now = ctx.now()
  const keys = await ctx.db
    .selectFrom('apiKey')
    .select(API_KEY_COLUMNS)
    .where('organizationId', '=', ctx.caller.organizationId)
    .where('expiresAt', '>', now)
    .where('expiresAt', '<=', now + FIRST_WARNING_DAYS * DAY)
    .where('replacedById', 'is', null)
    .orderBy('expiresAt')
    .orderBy('id')
    .limit(MOST_LISTED)
    .execute()
  return keys.map((apiKey) => ({ apiKey, daysLeft: Math.ceil(((apiKey.expiresAt ?? now) - now) / DAY) }))
}

export const isExpired = ({ expiresAt }: ApiKey, now: number) => expiresAt !== null && expiresAt <= now

/** Deletes keys that ended 30 days ago: until then they are shown, and refused with the words that they have ended. */
export async function removeExpiredKeys(database: Database, now: number): Promise<void> {
  const long = now - KEPT_AFTER_END_MS
  const ended = (db: Db) =>
    db.selectFrom('apiKey').select(['id', 'label', 'organizationId']).where('expiresAt', '<=', long)
  for (;;) {
    const found = await ended(database.read).orderBy('expiresAt').limit(REMOVED_AT_ONCE).execute()
    if (found.length === 0) return
    const isOurs = await database.transaction(async (db) => {
      if (!(await tryAlone(db))) return false
      const ids = found.map(({ id }) => id)
      const doomed = await claim(db, ended(db).where('id', 'in', ids).orderBy('id')).execute()
      await remove(db, doomed, now)
      return true
    })
    if (!isOurs) return
    await breathe() // SQLite answers without letting anybody else have a turn
  }
}

/**
 * Makes room for one more key where the organization, which the caller holds, keeps as many as it may: the oldest of those
 * that have ended are deleted, no more than a few, never one that is active. There are such ones, since most of those that
 * are kept have ended. One that somebody else has claimed is passed over: to wait for it could be to wait in a circle.
 */
export async function makeRoomAmongKept({ db, caller: { organizationId }, now }: Ctx): Promise<void> {
  const all = db.selectFrom('apiKey').where('organizationId', '=', organizationId)
  const surplus = (await countRowsUpTo(db, all, LIMITS.kept_keys + DELETED_AT_ONCE)) + 1 - LIMITS.kept_keys
  if (surplus <= 0) return
  const oldest = oldestEnded(db, organizationId, now()).limit(Math.min(surplus, DELETED_AT_ONCE))
  await remove(db, await claimFree(db, oldest).execute(), now())
}

/** In the order in which everybody locks them. */
export const oldestEnded = (db: Db, organizationId: string, now: number) =>
  db
    .selectFrom('apiKey')
    .select(['id', 'label', 'organizationId'])
    .where('organizationId', '=', organizationId)
    .where('expiresAt', '<=', now)
    .orderBy('id')

type Ended = Pick<ApiKey, 'id' | 'label' | 'organizationId'>

async function remove(db: Db, doomed: Ended[], now: number): Promise<void> {
  for (const { id, label: subject, organizationId } of doomed) {
    const event = { action: 'api_key.removed', subject, details: `key ${id}` } as const
    await insertEvent(db, now, { ...event, actor: PORTAL, organizationId })
    await atTheEnd(db, db.deleteFrom('apiKey').where('id', '=', id))
  }
}
