import { setImmediate as breathe } from 'node:timers/promises'
import { insertEvent } from '../audit/audit-event.ts'
import { type Actor, type Ctx, requireAdmin } from '../ctx.ts'
import type { Database } from '../db/database.ts'
import { atTheEnd, claim, tryAlone } from '../db/locks.ts'
import type { Db } from '../db/tables.ts'
import { DAY } from '../lib/clock.ts'
import { API_KEY_COLUMNS, type ApiKey } from './api-key.ts'

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
      for (const { id, label: subject, organizationId } of doomed) {
        const event = { action: 'api_key.removed', subject, details: `key ${id}` } as const
        await insertEvent(db, now, { ...event, actor: PORTAL, organizationId })
        await atTheEnd(db, db.deleteFrom('apiKey').where('id', '=', id))
      }
      return true
    })
    if (!isOurs) return
    await breathe() // SQLite answers without letting anybody else have a turn
  }
}
