import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { about, insertEvent } from '../../audit/audit-event.ts'
import type { Database } from '../../db/database.ts'
import { forKeyShare, tryAdvisoryLock } from '../../db/locks.ts'
import type { ApiKeyTable, Db } from '../../db/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { DAY } from '../../lib/clock.ts'
import { AFTER_ALL_IDS } from '../../lib/id.ts'
import { emailsToAdmins, readableTime } from '../../mail/admin-emails.ts'
import { mayRepeat, queueMail } from '../../mail/mail.ts'
import { FIRST_NOTIFICATION_DAYS, isInLastPart, PORTAL } from './expiry.ts'

/** Days before expiration at which Admins are notified, each until the next one takes over. */
const NOTIFICATIONS = [
  { days: 1, until: 0 },
  { days: 7, until: 1 },
  { days: FIRST_NOTIFICATION_DAYS, until: 7 },
] as const
const READ_AT_ONCE = 500
const LISTED_KEYS = 20

type Notification = (typeof NOTIFICATIONS)[number]
type Position = Pick<ApiKeyTable, 'id'> & { expiresAt: number }
type NearExpiry = ExpiringKey & { isNotified: boolean }
type ExpiringKey = Position & Pick<ApiKeyTable, 'organizationId' | 'label' | 'prefix' | 'createdAt'>

/** Notifies Admins of keys that expire soon, once at each of three times, by organization: any process may do it, or be killed. A failure is thrown after all others. */
export async function notifyExpiringKeys(database: Database, now: number, origin: string): Promise<void> {
  const failures: unknown[] = []
  allTimes: for (const notification of NOTIFICATIONS) {
    let from: Position | undefined = { expiresAt: now + notification.until * DAY, id: AFTER_ALL_IDS }
    do {
      const keys: NearExpiry[] = await keysNearExpiry(database.read, now, notification, from)
      const due = keys.filter((key) => !key.isNotified && isStillAhead(key, notification.days))
      for (const keysOfOne of Map.groupBy(due, ({ organizationId }) => organizationId).values()) {
        const notified = notify(database, now, notification, keysOfOne, origin)
        const isOurs = await notified.catch((error) => failures.push(error))
        if (!isOurs) break allTimes
        await yieldToEventLoop()
      }
      from = keys.length === READ_AT_ONCE ? keys.at(-1) : undefined
      await yieldToEventLoop() // SQLite runs synchronously, so other work would have to wait
    } while (from)
  }
  if (failures.length > 0) throw failures[0]
}

/** A time that had passed when the key was created needs no notification. */
const isStillAhead = ({ createdAt, expiresAt }: ExpiringKey, days: number) => createdAt < expiresAt - days * DAY

/** A bounded number of the keys that this notification is about, already sent or not, in the order of expiration. */
async function keysNearExpiry(db: Db, now: number, { days }: Notification, from: Position): Promise<NearExpiry[]> {
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
    .where(isInLastPart(now))
    .where('replacedById', 'is', null)
    .orderBy('apiKey.expiresAt')
    .orderBy('apiKey.id')
    .limit(READ_AT_ONCE)
    .execute()
  return rows.map(({ at, ...key }) => ({ ...key, isNotified: at !== null }))
}

/** Notifies the Admins of one organization, later if they got many emails. Returns whether this process did: otherwise another one is doing it. */
function notify(
  database: Database,
  now: number,
  notification: Notification,
  found: readonly ExpiringKey[],
  origin: string,
): Promise<boolean> {
  const organizationId = found[0]?.organizationId ?? ''
  const work = async (db: Transaction) => {
    if (!(await tryAdvisoryLock(db))) return false
    const keys = await stillExpiring(db, found)
    const usefulUntil = (key: ExpiringKey) => key.expiresAt - notification.until * DAY
    const emailsAbout = (some: readonly ExpiringKey[]) =>
      expiryEmails(db, some, { organizationId, origin, usefulUntil })
    if (!(await mayRepeat(db, now, await emailsAbout(keys)))) return true // later, together with what is due by then
    const toNotify = await recordNotifications(db, now, notification, keys)
    for (const { id, label, expiresAt } of toNotify) {
      const details = `expires at ${new Date(expiresAt).toISOString()}; key ${id}`
      const event = { action: 'api_key.expiry_notified', ...about('API_KEY', id, label), details } as const
      await insertEvent(db, now, { ...event, actor: PORTAL, organizationId })
    }
    if (toNotify.length > 0) await queueMail(db, now, await emailsAbout(toNotify))
    return true
  }
  // With ten thousand Admins half a second or more. Not the turn of the organization, whose writes may be many: the next one waits.
  return database.transaction(work, { organizationId: `notifications of ${organizationId}`, isLong: true })
}

/** The keys that still expire then, locked: they cannot be revoked until this transaction ends. */
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

/** Records this notification and those due before it; returns the keys for which it is new. */
async function recordNotifications(
  db: Db,
  at: number,
  { days }: Notification,
  keys: readonly ExpiringKey[],
): Promise<ExpiringKey[]> {
  const rows = keys.flatMap((key) =>
    NOTIFICATIONS.filter((notification) => notification.days >= days && isStillAhead(key, notification.days)).map(
      (notification) => ({ keyId: key.id, expiresAt: key.expiresAt, days: notification.days, at }),
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

interface About {
  organizationId: string
  origin: string
  usefulUntil(key: ExpiringKey): number
}

/** One email to each Admin of an organization, about all of its keys that expire soon. */
const expiryEmails = (db: Db, keys: readonly ExpiringKey[], { organizationId, origin, usefulUntil }: About) =>
  emailsToAdmins(db, organizationId, origin, ({ name, keysPage }) => ({
    kind: 'KEY_EXPIRY',
    subject: subjectOf(keys, name),
    lines: linesOf(keys, name, keysPage),
    usefulUntil: Math.max(...keys.map(usefulUntil)),
  }))

function subjectOf(keys: readonly ExpiringKey[], organization: string): string {
  const [first] = keys
  if (first && keys.length === 1)
    return `API key ${first.label} of ${organization} expires on ${readableTime(first.expiresAt)}`
  return `${keys.length} API keys of ${organization} expire soon`
}

const linesOf = (keys: readonly ExpiringKey[], organization: string, page: string) => [
  `These API keys of ${organization} expire soon. From then on they are refused:`,
  '',
  ...keys
    .slice(0, LISTED_KEYS)
    .map(({ label, prefix, expiresAt }) => `- ${label} (${prefix}…) expires on ${readableTime(expiresAt)}`),
  ...(keys.length > LISTED_KEYS ? [`- and ${keys.length - LISTED_KEYS} more`] : []),
  '',
  'If something still uses one of them, rotate it: a new key with the same label replaces it.',
  page,
]
