import { type ExpressionBuilder, sql } from 'kysely'
import type { Actor } from '../../ctx.ts'
import type { AuditSubjectType } from '../../db/audit-event-table.ts'
import { deferToCommit, isPostgres } from '../../db/locks.ts'
import { prepared, preparedWrite } from '../../db/prepared.ts'
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
  const checkIn = event.checkIn ?? BEHIND_ALL
  const values = { organizationId, now, id, type, head, tail, retryUntil: now + retryMs, ...to, ...checkIn }
  if (isPostgres(db)) await deferToCommit(db, insertInOneStatement(db, values))
  else if ((await progressOf(db, { organizationId })).length > 0) {
    await deferToCommit(db, nextVersion(db, values))
    await deferToCommit(db, insertDeliveries(db, values))
  }
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

interface NewDeliveries extends Wanted, CheckIn {
  id: string
  type: string
  head: string
  tail: string
  retryUntil: number
}

/** Nothing for an organization that has not had a webhook yet: one look by primary key. */
const progressOf = prepared((db, { organizationId }: { organizationId: string }) =>
  db.selectFrom('webhookProgress').select('organizationId').where('organizationId', '=', organizationId),
)

/**
 * Of two events of one object the later one has the higher version: this row is locked until the transaction ends, as
 * the object is. It is at least the time, so that it goes on rising after a restore to an earlier state.
 */
const raised = (db: Db, values: Wanted) =>
  db
    .updateTable('webhookProgress')
    .set({ version: sql<number>`case when "version" < ${values.now} then ${values.now} else "version" + 1 end` })
    .where('organizationId', '=', values.organizationId)
    .where((eb) => eb.exists(wanting(db, values)))

const wanting = (db: Db, values: Wanted) =>
  db
    .selectFrom('webhook')
    .select('id')
    .where((eb) => wants(eb, values))

const nextVersion = preparedWrite((db, values: NewDeliveries) => raised(db, values))

const COLUMNS = ['id', 'webhookId', 'event', 'payload', 'state', 'attempts'] as const
const TIMES = ['createdAt', 'retryUntil', 'nextAttemptAt'] as const

const insertDeliveries = preparedWrite((db, values: NewDeliveries) =>
  db
    .insertInto('webhookDelivery')
    .columns([...COLUMNS, ...TIMES])
    .expression(deliveriesOf(db, values)),
)

/** On PostgreSQL both in one statement: what is read of the progress is what it was raised to. */
const insertInOneStatement = preparedWrite((db, values: NewDeliveries) =>
  db
    .with('webhookProgress', () => raised(db, values).returningAll())
    .insertInto('webhookDelivery')
    .columns([...COLUMNS, ...TIMES])
    .expression(deliveriesOf(db, values)),
)

const deliveriesOf = (db: Db, values: NewDeliveries) =>
  db
    .selectFrom('webhook')
    .innerJoin('webhookProgress', 'webhookProgress.organizationId', 'webhook.organizationId')
    .select([
      sql<string>`cast(${values.id} as text) || substr("webhook"."id", 21)`.as('id'),
      'webhook.id as webhookId',
      sql<string>`cast(${values.type} as text)`.as('event'),
      sql<string>`cast(${values.head} as text) || cast("version" as text) || cast(${values.tail} as text)`.as(
        'payload',
      ),
      sql.lit('PENDING' as const).as('state'),
      sql.lit(0).as('attempts'),
      time(values.now).as('createdAt'),
      time(values.retryUntil).as('retryUntil'),
      time(values.now).as('nextAttemptAt'),
    ])
    .where((eb) => wants(eb, values))
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('offlineSeenAt', 'offlineDeviceId'), '<', tuple(values.seenAt, values.deviceId)),
    )

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
