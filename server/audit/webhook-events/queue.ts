import { type ExpressionBuilder, sql } from 'kysely'
import type { Actor } from '../../ctx.ts'
import type { AuditSubjectType } from '../../db/audit-event-table.ts'
import { deferToCommit } from '../../db/locks.ts'
import { preparedWrite } from '../../db/prepared.ts'
import type { Db, Tables } from '../../db/tables.ts'
import { DAY } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import type { EventType } from './event-types.ts'

/** How long a delivery is tried again. */
export const RETRY_MS = 3 * DAY
/** The last characters of a delivery's id are those of its webhook, so that one event has an id for each. */
const OF_THE_WEBHOOK = 6

/** What has nothing to do with check-ins. */
const BEHIND_ALL: CheckIn = { seenAt: Number.MAX_SAFE_INTEGER, deviceId: '' }

/** Something that webhooks are notified of. */
export interface WebhookEvent {
  organizationId: string
  type: EventType
  /** When it happened. */
  at: number
  object: { type: AuditSubjectType | null; id: string | null; name: string }
  actor: Actor
  /** Its fields before and after, as JSON; never a secret. */
  changes: string | null
  /** The last check-in of a device that went offline: nothing is written if that was reported already. */
  checkIn?: CheckIn
}

/** A check-in, in the order in which devices that went offline are reported: see webhookProgress. */
export interface CheckIn {
  seenAt: number
  deviceId: string
}

/**
 * Writes each event for every webhook that wants it, in the transaction of the change: both happen, or neither. For an
 * organization without such a webhook nothing is found, and nothing is written. On PostgreSQL it takes no round trip of
 * its own.
 */
export async function queueEvents(db: Db, now: number, events: readonly WebhookEvent[]): Promise<void> {
  if (events.length > 1 && !(await isAnyWebhook(db, events))) return
  for (const event of events) await queue(db, now, event, { webhookId: '', wanted: `%"${event.type}"%` })
}

/** One question in place of many statements. */
async function isAnyWebhook(db: Db, events: readonly WebhookEvent[]): Promise<boolean> {
  const organizations = new Set(events.map(({ organizationId }) => organizationId))
  const webhook = db
    .selectFrom('webhook')
    .select('id')
    .where('organizationId', 'in', [...organizations])
  return (await webhook.limit(1).executeTakeFirst()) !== undefined
}

/** The same for one webhook, whatever it wants; returns the id of the delivery. It is tried once. */
export const queueTest = (db: Db, now: number, event: WebhookEvent, webhookId: string): Promise<string> =>
  queue(db, now, event, { webhookId, wanted: '' }, 0)

interface Addressed {
  webhookId: string
  wanted: string
}

async function queue(db: Db, now: number, event: WebhookEvent, to: Addressed, retryMs = RETRY_MS): Promise<string> {
  const { organizationId, type } = event
  const { head, tail } = bodyOf(event)
  const id = newId(now).slice(0, -OF_THE_WEBHOOK)
  await deferToCommit(db, nextVersion(db, { organizationId, now, ...to }))
  const checkIn = event.checkIn ?? BEHIND_ALL
  const values = { organizationId, now, id, type, head, tail, retryUntil: now + retryMs, ...to, ...checkIn }
  await deferToCommit(db, insertDeliveries(db, values))
  return id + to.webhookId.slice(-OF_THE_WEBHOOK)
}

/** The body of the request, around the version. */
function bodyOf({ organizationId, type, at, object, actor, changes }: WebhookEvent): { head: string; tail: string } {
  const timestamp = new Date(at).toISOString()
  const data = JSON.stringify({ organizationId, object, actor })
  return {
    head: `{"type":"${type}","timestamp":"${timestamp}","data":{"version":`,
    tail: `,${data.slice(1, -1)},"changes":${changes}}}`,
  }
}

interface Wanted extends Addressed, Record<string, unknown> {
  organizationId: string
  now: number
}

/**
 * Of two events of one object the later one has the higher version: this row is locked until the transaction ends, as
 * the object is. It is at least the time, so that it goes on rising after a restore to an earlier state.
 */
const nextVersion = preparedWrite((db, values: Wanted) => {
  const { organizationId, now } = values
  return db
    .updateTable('webhookProgress')
    .set({ version: sql<number>`case when "version" < ${now} then ${now} else "version" + 1 end` })
    .where('organizationId', '=', organizationId)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('webhook')
          .select('id')
          .where((of) => wants(of, values)),
      ),
    )
})

interface NewDeliveries extends Wanted, CheckIn {
  id: string
  type: string
  head: string
  tail: string
  retryUntil: number
}

const insertDeliveries = preparedWrite((db, values: NewDeliveries) => {
  const { now, id, type, head, tail, retryUntil } = values
  return db
    .insertInto('webhookDelivery')
    .columns(['id', 'webhookId', 'event', 'payload', 'state', 'attempts', 'createdAt', 'retryUntil', 'nextAttemptAt'])
    .expression(
      db
        .selectFrom('webhook')
        .innerJoin('webhookProgress', 'webhookProgress.organizationId', 'webhook.organizationId')
        .select([
          sql<string>`cast(${id} as text) || substr("webhook"."id", 21)`.as('id'),
          'webhook.id as webhookId',
          sql<string>`cast(${type} as text)`.as('event'),
          sql<string>`cast(${head} as text) || cast("version" as text) || cast(${tail} as text)`.as('payload'),
          sql.lit('PENDING' as const).as('state'),
          sql.lit(0).as('attempts'),
          time(now).as('createdAt'),
          time(retryUntil).as('retryUntil'),
          time(now).as('nextAttemptAt'),
        ])
        .where((eb) => wants(eb, values))
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('offlineSeenAt', 'offlineDeviceId'), '<', tuple(values.seenAt, values.deviceId)),
        ),
    )
})

const time = (at: number) => sql<number>`cast(${at} as bigint)`

/** The one webhook that is named, or all that want the event. */
function wants(
  eb: ExpressionBuilder<Tables, 'webhook'>,
  { organizationId, webhookId, wanted }: Pick<Wanted, 'organizationId' | 'webhookId' | 'wanted'>,
) {
  const subscribed = eb.and([eb('webhook.enabled', '=', 1), eb('webhook.events', 'like', wanted)])
  return eb.and([
    eb('webhook.organizationId', '=', organizationId),
    eb.or([eb('webhook.id', '=', webhookId), subscribed]),
  ])
}
