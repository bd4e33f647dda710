import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { isBacklogFull } from '../audit/webhook-events/count-deliveries.ts'
import { queueEvents } from '../audit/webhook-events/queue-events.ts'
import type { Database } from '../db/database.ts'
import { forUpdateSkipLocked } from '../db/locks.ts'
import type { Db } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { offlineBefore } from './device-status.ts'
import { offlineEvent } from './online.ts'

const DEVICES_AT_ONCE = 250

/** Tells webhooks of devices that went offline. How far it has come is stored with that, so any process may do it, or be killed. */
export async function reportOffline(database: Database, now: number, isClosing: () => boolean): Promise<void> {
  const organizations = await database.read.selectFrom('webhook').select('organizationId').distinct().execute()
  for (const { organizationId } of organizations) {
    const turn = `offline devices of ${organizationId}` // its own writes may be many, and the next organization waits
    const report = () => database.transaction((db) => reportSome(db, now, organizationId), { organizationId: turn })
    while (!isClosing() && (await report())) await yieldToEventLoop()
  }
}

/** Returns whether there may be more. */
async function reportSome(db: Transaction, now: number, organizationId: string): Promise<boolean> {
  const progress = await forUpdateSkipLocked(
    db,
    db
      .selectFrom('webhookProgress')
      .select(['offlineSeenAt', 'offlineDeviceId'])
      .where('organizationId', '=', organizationId),
  ).executeTakeFirst()
  if (!progress) return false // another process is at it
  const wanted = await isWanted(db, organizationId)
  if (wanted && (await isBacklogFull(db, organizationId))) return false // later, when there is room
  const found = wanted ? await devicesSince(db, now, { organizationId, ...progress }) : []
  const last = found.at(-1)
  const isMore = found.length === DEVICES_AT_ONCE
  const events = found.map((device) => offlineEvent(organizationId, device))
  // Before the position, by which it is decided what was reported already; both are deferred, in this order.
  await queueEvents(db, now, events, 'UNLIMITED')
  const reached = isMore && last ? { seenAt: last.lastSeenAt, id: last.id } : { seenAt: offlineBefore(now), id: '' }
  if (reached.seenAt < progress.offlineSeenAt) return false // the clock was set back
  const position = { offlineSeenAt: reached.seenAt, offlineDeviceId: reached.id }
  await db.defer(db.updateTable('webhookProgress').set(position).where('organizationId', '=', organizationId))
  return isMore
}

const isWanted = async (db: Db, organizationId: string) =>
  (await db
    .selectFrom('webhook')
    .select('id')
    .where('organizationId', '=', organizationId)
    .where('enabled', '=', 1)
    .where('events', 'like', '%"device.offline"%')
    .limit(1)
    .executeTakeFirst()) !== undefined

interface Position {
  organizationId: string
  offlineSeenAt: number
  offlineDeviceId: string
}

const devicesSince = (db: Db, now: number, { organizationId, offlineSeenAt, offlineDeviceId }: Position) =>
  db
    .selectFrom('device')
    .select(['id', 'name'])
    .select((eb) => eb.ref('lastSeenAt').$notNull().as('lastSeenAt'))
    .where('organizationId', '=', organizationId)
    .where('lastSeenAt', '>=', offlineSeenAt)
    .where('lastSeenAt', '<', offlineBefore(now))
    .where(({ eb, refTuple, tuple }) => eb(refTuple('lastSeenAt', 'id'), '>', tuple(offlineSeenAt, offlineDeviceId)))
    .orderBy('lastSeenAt')
    .orderBy('id')
    .limit(DEVICES_AT_ONCE)
    .execute()
