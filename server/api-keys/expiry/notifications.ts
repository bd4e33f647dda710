import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { insertEvent } from '../../audit/audit-event.ts'
import type { Database } from '../../db/database.ts'
import { forKeyShare, tryAdvisoryLock } from '../../db/locks.ts'
import type { ApiKeyTable, Db } from '../../db/tables.ts'
import { DAY } from '../../lib/clock.ts'
import { queueMail } from '../../mail/mail.ts'
import { expiryEmails } from './email.ts'
import { FIRST_NOTIFICATION_DAYS, PORTAL } from './expiry.ts'

/** Days before expiration at which Admins are notified, each until the next one takes over. */
const NOTIFICATIONS = [
  { days: 1, until: 0 },
  { days: 7, until: 1 },
  { days: FIRST_NOTIFICATION_DAYS, until: 7 },
] as const
const LOOKED_AT_ONCE = 500
const ENOUGH_AT_ONCE = 25
const BEHIND_ALL_IDS = '~'

type Notification = (typeof NOTIFICATIONS)[number]
type Position = Pick<ApiKeyTable, 'id'> & { expiresAt: number }
type ExpiringKey = Position & Pick<ApiKeyTable, 'organizationId' | 'label' | 'prefix' | 'createdAt'>

/**
 * Notifies the Admins of every key that expires soon, once at each of the three times before. Any number of processes
 * may do this at once, and each may be killed at any time: notification, audit entry and emails are one transaction.
 */
export async function notifyExpiringKeys(database: Database, now: number, origin: string): Promise<void> {
  for (const notification of NOTIFICATIONS) {
    let from: Position | undefined = { expiresAt: now + notification.until * DAY, id: BEHIND_ALL_IDS }
    do {
      const keys: Awaited<ReturnType<typeof keysNearExpiry>> = await keysNearExpiry(
        database.read,
        now,
        notification,
        from,
      )
      const due = keys.filter((key) => !key.isNotified && isStillAhead(key, notification.days))
      for (const batch of batchesOf(due)) {
        const isOurs = await notify(database, now, notification, batch, origin)
        if (!isOurs) return
        await yieldToEventLoop()
      }
      from = keys.length === LOOKED_AT_ONCE ? keys.at(-1) : undefined
      await yieldToEventLoop() // SQLite runs synchronously, so other work would have to wait
    } while (from)
  }
}

/**
 * Whole organizations, so that their Admins get one email about all of their keys, in batches that are not larger than
 * necessary.
 */
function batchesOf<Key extends ExpiringKey>(keys: readonly Key[]): Key[][] {
  const batches: Key[][] = []
  for (const group of Map.groupBy(keys, ({ organizationId }) => organizationId).values()) {
    const last = batches.at(-1)
    if (last && last.length < ENOUGH_AT_ONCE) last.push(...group)
    else batches.push(group)
  }
  return batches
}

/** A time that had passed when the key was created needs no notification. */
const isStillAhead = ({ createdAt, expiresAt }: ExpiringKey, days: number) => createdAt < expiresAt - days * DAY

/** A bounded number of the keys that this notification is about, already sent or not, in the order of expiration. */
async function keysNearExpiry(db: Db, now: number, { days }: Notification, from: Position) {
  const rows = await db
    .selectFrom('apiKey')
    .leftJoin('apiKeyExpiryNotification', (join) =>
      join
        .onRef('apiKeyExpiryNotification.keyId', '=', 'apiKey.id')
        .onRef('apiKeyExpiryNotification.expiresAt', '=', 'apiKey.expiresAt')
        .on('apiKeyExpiryNotification.days', '=', days),
    )
    .select(['apiKey.id', 'organizationId', 'label', 'prefix', 'createdAt', 'apiKeyExpiryNotification.at'])
    .select((eb) => eb.ref('apiKey.expiresAt').$notNull().as('expiresAt'))
    .where((eb) => eb(eb.refTuple('apiKey.expiresAt', 'apiKey.id'), '>', eb.tuple(from.expiresAt, from.id)))
    .where('apiKey.expiresAt', '<=', now + days * DAY)
    .where('replacedById', 'is', null)
    .orderBy('apiKey.expiresAt')
    .orderBy('apiKey.id')
    .limit(LOOKED_AT_ONCE)
    .execute()
  return rows.map(({ at, ...key }) => ({ ...key, isNotified: at !== null }))
}

/** Returns whether this process did it: otherwise another process is doing it. */
function notify(
  database: Database,
  now: number,
  notification: Notification,
  found: readonly ExpiringKey[],
  origin: string,
): Promise<boolean> {
  return database.transaction(async (db) => {
    if (!(await tryAdvisoryLock(db))) return false
    const toNotify = await recordNotifications(db, now, notification, await stillExpiring(db, found))
    for (const key of toNotify) {
      await insertEvent(db, now, {
        action: 'api_key.expiry_notified',
        subject: key.label,
        subjectType: 'API_KEY',
        subjectId: key.id,
        details: `expires at ${new Date(key.expiresAt).toISOString()}; key ${key.id}`,
        actor: PORTAL,
        organizationId: key.organizationId,
      })
    }
    const usefulUntil = (key: ExpiringKey) => key.expiresAt - notification.until * DAY
    await queueMail(db, now, await expiryEmails(db, toNotify, { origin, usefulUntil }))
    return true
  })
}

/**
 * Those that were not revoked, rotated or given another expiration in the meantime; they cannot be revoked until this
 * transaction ends.
 */
async function stillExpiring(db: Db, found: readonly ExpiringKey[]): Promise<ExpiringKey[]> {
  const expirations = new Map(found.map(({ id, expiresAt }) => [id, expiresAt]))
  const query = db
    .selectFrom('apiKey')
    .select(['id', 'organizationId', 'label', 'prefix', 'createdAt', 'expiresAt'])
    .where('id', 'in', [...expirations.keys()])
    .where('replacedById', 'is', null)
    .orderBy('id') // the order in which all transactions lock keys
  const rows = await forKeyShare(db, query).execute()
  return rows.flatMap(({ expiresAt, ...key }) =>
    expiresAt !== null && expiresAt === expirations.get(key.id) ? { ...key, expiresAt } : [],
  )
}

/**
 * Records this notification and the ones that were due before it; returns the keys for which it was not recorded yet.
 */
async function recordNotifications(
  db: Db,
  at: number,
  { days }: Notification,
  keys: readonly ExpiringKey[],
): Promise<ExpiringKey[]> {
  const rows = keys.flatMap((key) =>
    NOTIFICATIONS.filter((notification) => notification.days >= days && isStillAhead(key, notification.days)).map(
      (notification) => ({
        keyId: key.id,
        expiresAt: key.expiresAt,
        days: notification.days,
        at,
      }),
    ),
  )
  if (rows.length === 0) return []
  const noted = await db
    .insertInto('apiKeyExpiryNotification')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['keyId', 'expiresAt', 'days']).doNothing())
    .returning(['keyId', 'days'])
    .execute()
  const ours = new Set(noted.filter((row) => row.days === days).map(({ keyId }) => keyId))
  return keys.filter(({ id }) => ours.has(id))
}
