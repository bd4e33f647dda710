import { type SqlBool, sql } from 'kysely'
import type { Actor } from '../../ctx.ts'
import type { AuditSubjectType } from '../../db/audit-event-table.ts'
import type { Budget } from '../../db/byte-budgets.ts'
import { ROWS_OF_A_STATEMENT, rowsOfJson } from '../../db/json-rows.ts'
import { deferToCommit, isPostgres } from '../../db/locks.ts'
import { prepared, preparedWrite } from '../../db/prepared.ts'
import type { Db } from '../../db/tables.ts'
import { DAY } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import { partsOf } from '../../lib/parts.ts'
import { countDeliveries } from './count-deliveries.ts'
import type { EventType } from './event-types.ts'

/** How long a delivery is tried again. */
export const RETRY_MS = 3 * DAY
/** So many characters of a delivery's id are those of its event; the others are those of its webhook. */
export const SHARED_BY_DELIVERIES = 20

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
 * Writes each event once, with the webhooks that want it now, in the transaction of the change: both happen, or neither.
 * The webhook worker makes a delivery of it for each of them: see webhooks/fan-out.ts. For an organization without such a
 * webhook nothing is written. A single event takes no round trip of its own on PostgreSQL. Fails with `LIMIT_EXCEEDED` if
 * then more waits than the budget has. Returns how many bytes they have.
 */
export async function queueEvents(
  db: Db,
  now: number,
  events: readonly WebhookEvent[],
  budget: Budget,
): Promise<number> {
  let bytes = 0
  for (const [organizationId, its] of Map.groupBy(events, ({ organizationId }) => organizationId)) {
    const isAsked = !isPostgres(db) || its.length > 1
    if (isAsked && (await anyWebhook(db, { organizationId })).length === 0) continue
    for (const part of partsOf(its, ROWS_OF_A_STATEMENT))
      bytes += await writeEvents(db, now, { organizationId, events: part, budget })
  }
  return bytes
}

interface Written {
  organizationId: string
  events: readonly WebhookEvent[]
  budget: Budget
}

async function writeEvents(db: Db, now: number, { organizationId, events, budget }: Written): Promise<number> {
  const rows = events.map((event, place) => ({
    id: newId(now),
    place,
    type: event.type,
    ...bodyOf(event),
    ...(event.checkIn ?? BEHIND_ALL),
  }))
  const types = new Set(events.map(({ type }) => type))
  const values = {
    organizationId,
    ...raisedBy(now, events.length),
    events: JSON.stringify(rows),
    types: JSON.stringify([...types].map((type) => ({ type }))),
  }
  if (isPostgres(db)) await deferToCommit(db, insertInOneStatement(db, values))
  else {
    await deferToCommit(db, nextVersions(db, values))
    await deferToCommit(db, insertEvents(db, values))
  }
  await countDeliveries(db, organizationId, rows, budget)
  return rows.reduce((sum, { head, tail }) => sum + Buffer.byteLength(head) + Buffer.byteLength(tail), 0)
}

/** Queues a test for one webhook, whatever it wants, and returns the id of the delivery. It is tried once. */
export async function queueTest(db: Db, now: number, event: WebhookEvent, webhookId: string): Promise<string> {
  const { head, tail } = bodyOf(event)
  const values = { organizationId: event.organizationId, ...raisedBy(now, 1) }
  const { version } = await raised(db, values).returning('version').executeTakeFirstOrThrow()
  const id = `${newId(now).slice(0, SHARED_BY_DELIVERIES)}${webhookId.slice(SHARED_BY_DELIVERIES)}`
  const times = { createdAt: now, retryUntil: now, nextAttemptAt: now }
  const delivery = { id, webhookId, event: event.type, payload: `${head}${version}${tail}`, ...times }
  await db
    .insertInto('webhookDelivery')
    .values({ ...delivery, state: 'PENDING', attempts: 0 })
    .execute()
  return id
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

/** One look by an index, and nothing for most organizations. */
const anyWebhook = prepared((db, { organizationId }: { organizationId: string }) =>
  db.selectFrom('webhook').select('id').where('organizationId', '=', organizationId).limit(1),
)

interface Raised extends Record<string, unknown> {
  organizationId: string
  now: number
  by: number
  /** The last version if that of all events is the time. */
  atLeast: number
}

const raisedBy = (now: number, by: number) => ({ now, by, atLeast: now + by - 1 })

/**
 * Of two events of one object the later one has the higher version: this row is locked until the transaction ends, as
 * the object is. It is at least the time, so that it goes on rising after a restore to an earlier state.
 */
const raised = (db: Db, { organizationId, now, by, atLeast }: Raised) =>
  db
    .updateTable('webhookProgress')
    .set({
      version: sql<number>`case when "version" < ${integer(now)} then ${integer(atLeast)} else "version" + ${integer(by)} end`,
    })
    .where('organizationId', '=', organizationId)

interface NewEvents extends Raised {
  /** Rows of `EventRow`, as JSON. */
  events: string
  types: string
}

/** A type of event, and the ids of the webhooks that want it. */
const wanted = (db: Db, { organizationId, types }: NewEvents) =>
  db
    .selectFrom('webhook')
    .innerJoin(rowsOfJson(db, { type: 'text' }, types, 'asked'), (join) =>
      join.on('webhook.events', 'like', sql<string>`'%"' || "asked"."type" || '"%'`),
    )
    .select(['asked.type', sql<string>`string_agg("webhook"."id", ',')`.as('webhookIds')])
    .where('webhook.organizationId', '=', organizationId)
    .where('webhook.enabled', '=', 1)
    .groupBy('asked.type')

const raisedIfWanted = (db: Db, values: NewEvents) => raised(db, values).where((eb) => eb.exists(wanted(db, values)))

const nextVersions = preparedWrite((db, values: NewEvents) => raisedIfWanted(db, values))

const insertEvents = preparedWrite((db, values: NewEvents) =>
  db.insertInto('webhookEvent').columns(COLUMNS).expression(eventsOf(db, values)),
)

/** On PostgreSQL both in one statement: what is read of the progress is what it was raised to. */
const insertInOneStatement = preparedWrite((db, values: NewEvents) =>
  db
    .with('webhookProgress', () => raisedIfWanted(db, values).returningAll())
    .insertInto('webhookEvent')
    .columns(COLUMNS)
    .expression(eventsOf(db, values)),
)

const COLUMNS = ['id', 'organizationId', 'type', 'payload', 'webhookIds', 'createdAt'] as const

const ROW = {
  id: 'text',
  place: 'integer',
  type: 'text',
  head: 'text',
  tail: 'text',
  seenAt: 'integer',
  deviceId: 'text',
} as const

const eventsOf = (db: Db, values: NewEvents) =>
  db
    .selectFrom(rowsOfJson(db, ROW, values.events, 'given'))
    .innerJoin(wanted(db, values).as('wanted'), 'wanted.type', 'given.type')
    .innerJoin('webhookProgress', (join) => join.on('organizationId', '=', values.organizationId))
    .select([
      'given.id',
      'organizationId',
      'given.type',
      sql<string>`"head" || cast("version" - ${integer(values.by)} + 1 + "place" as text) || "tail"`.as('payload'),
      'webhookIds',
      integer(values.now).as('createdAt'),
    ])
    .where(sql<SqlBool>`("offlineSeenAt", "offlineDeviceId") < ("given"."seenAt", "given"."deviceId")`)

const integer = (value: number) => sql<number>`cast(${value} as bigint)`
