import { type SqlBool, sql } from 'kysely'
import type { Actor } from '../../caller/ctx.ts'
import type { AuditEventTable, AuditSubjectType } from '../../db/audit-event-table.ts'
import type { Budget } from '../../db/byte-budgets.ts'
import { ROWS_OF_A_STATEMENT, rowsOfJson } from '../../db/json-rows.ts'
import { isPostgres } from '../../db/locks.ts'
import { prepared, preparedWrite } from '../../db/prepared.ts'
import type { Db } from '../../db/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { DAY } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import { partsOf } from '../../lib/parts.ts'
import { cleaned } from '../../lib/plain-text.ts'
import { countDeliveries } from './count-deliveries.ts'
import { type EventType, eventTypeFor } from './event-types.ts'

export const RETRY_MS = 3 * DAY
/** So many characters of a delivery's id are those of its event; the others are those of its webhook. */
export const SHARED_BY_DELIVERIES = 20

/** Sorts after every check-in. */
const NO_CHECK_IN: CheckIn = { seenAt: Number.MAX_SAFE_INTEGER, deviceId: '' }

export interface AuditedObject {
  id: string
  name: string
}

/** What webhooks are notified of an entry of the audit log: of several objects one event for each, of most entries nothing. */
export function webhookEvents(
  { action, organizationId, at, subject, subjectType, subjectId, changes, ...row }: AuditEventTable,
  objects?: readonly AuditedObject[],
): WebhookEvent[] {
  const type = eventTypeFor(action)
  if (type === undefined) return []
  const { actorKind, actorId, actorName } = row
  const actor = { kind: actorKind, id: actorId, name: actorName }
  const event = { organizationId, type, at, actor, changes }
  const object = { type: subjectType, id: subjectId, name: subject ?? '' }
  if (!objects) return [{ ...event, object }]
  return objects.map(({ id, name }) => ({ ...event, object: { ...object, id, name: cleaned(name) }, changes: null }))
}

export interface WebhookEvent {
  organizationId: string
  type: EventType
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
 * Writes each event once, with the webhooks that want it now, in the transaction of the change. The webhook worker makes
 * their deliveries. A single event takes no round trip of its own on PostgreSQL. Returns how many bytes they have.
 */
export async function queueEvents(
  db: Transaction,
  now: number,
  events: readonly WebhookEvent[],
  budget: Budget,
): Promise<number> {
  let bytes = 0
  for (const [organizationId, its] of Map.groupBy(events, ({ organizationId }) => organizationId)) {
    const looksFirst = !isPostgres(db) || its.length > 1
    if (looksFirst && (await anyWebhook(db, { organizationId })).length === 0) continue
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

async function writeEvents(db: Transaction, now: number, { organizationId, events, budget }: Written): Promise<number> {
  const rows = events.map((event, place) => ({
    id: newId(now),
    place,
    type: event.type,
    ...bodyOf(event),
    ...(event.checkIn ?? NO_CHECK_IN),
  }))
  const types = new Set(events.map(({ type }) => type))
  const values = {
    organizationId,
    ...raisedBy(now, events.length),
    events: JSON.stringify(rows),
    types: JSON.stringify([...types].map((type) => ({ type }))),
  }
  if (isPostgres(db)) await db.defer(insertInOneStatement(db, values))
  else {
    await db.defer(nextVersions(db, values))
    await db.defer(insertEvents(db, values))
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

/** The later of two events of an object has the higher version: this row stays locked. At least the time, to rise after a restore too. */
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
