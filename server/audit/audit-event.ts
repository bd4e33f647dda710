import {
  type Actor,
  actorOf,
  type Caller,
  type Ctx,
  requireAdmin,
  type Stored,
  seesCanaryKeys,
  type TransactionCtx,
} from '../caller/ctx.ts'
import type { AuditEventTable, AuditSubjectType } from '../db/audit-event-table.ts'
import { type Budget, largestOf } from '../db/byte-budgets.ts'
import type { ReserveUse } from '../db/database.ts'
import { longRows, ROWS_OF_A_STATEMENT } from '../db/json-rows.ts'
import { countMatching, readsFor } from '../db/long-list.ts'
import { countStored, dayOf } from '../db/stored-bytes.ts'
import type { Db } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { plainAddress } from '../lib/client-address.ts'
import { firstIdAt, newId } from '../lib/id.ts'
import { newestFirst, type Page, type PageArgs } from '../lib/page.ts'
import { partsOf } from '../lib/parts.ts'
import { cleaned } from '../lib/plain-text.ts'
import { ALL_ACTIONS, type AuditAction, OTHER_ACTION } from './actions.ts'
import { type FieldChange, storedChanges } from './changed-fields.ts'
import { type AuditedObject, queueEvents, webhookEvents } from './webhook-events/queue-events.ts'

export interface NewEvent {
  action: AuditAction
  subject: string
  subjectType?: AuditSubjectType
  subjectId?: string
  /** All of them, where it is about several: webhooks are notified of each. */
  objects?: readonly AuditedObject[]
  /** Further details in plain words; never a secret. */
  details?: string
  /** Its fields before and after: see changed-fields.ts. */
  changes?: readonly FieldChange[]
  /** Given when the actor is not the caller, or the organization is another one. */
  actor?: Actor
  organizationId?: string
  ip?: string | undefined
  budget?: Budget
}

/** What works on a full disk works beyond the budget. */
const BUDGET_OF: Record<ReserveUse, Budget> = { revoke: 'UNLIMITED', 'sign-in': 'SIGN_IN', policy: 'RESERVE' }

export interface AuditEventFilter {
  /** As it is stored; `OTHER_ACTION`: any that this version does not know. */
  action?: AuditAction | typeof OTHER_ACTION | null | undefined
  actorId?: string | null | undefined
  subjectId?: string | null | undefined
  since?: number | null | undefined
  until?: number | null | undefined
}

export const about = (subjectType: AuditSubjectType, subjectId: string, subject: string) =>
  ({ subject, subjectType, subjectId }) as const

/** Records an event in the caller's transaction. */
export const recordEvent = (ctx: TransactionCtx, event: NewEvent): Promise<void> => recordEvents(ctx, [event])

/** Records many events at once, in this order. */
export async function recordEvents(ctx: TransactionCtx, events: readonly NewEvent[]): Promise<void> {
  const whole = events.map((event) => ({
    ip: ctx.ip,
    ...event,
    actor: event.actor ?? actorOf(ctx.caller),
    organizationId: event.organizationId ?? ctx.caller.organizationId,
    budget: event.budget ?? (ctx.usesReserve ? BUDGET_OF[ctx.usesReserve] : 'NORMAL'),
  }))
  const stored = await insertEvents(ctx.db, ctx.now(), whole)
  ctx.noteStored?.(stored)
}

/** Records an event where there is no caller. It has no limit unless it says so: whatever causes it has one. */
export async function insertEvent(db: Transaction, at: number, event: WholeEvent): Promise<void> {
  await insertEvents(db, at, [event])
}

type WholeEvent = NewEvent & { actor: Actor; organizationId: string }

/** Returns how many bytes they have, and how many events for webhooks they lead to. */
async function insertEvents(db: Transaction, at: number, events: readonly WholeEvent[]): Promise<Stored> {
  const recorded = events.map((event) => ({ row: rowOf(at, event), objects: event.objects }))
  const rows = recorded.map(({ row }) => row)
  const forWebhooks = recorded.flatMap(({ row, objects }) => webhookEvents(row, objects))
  const budget = largestOf(events.map((event) => event.budget ?? 'UNLIMITED'))
  await insertRows(db, rows)
  const bytes = await countBytes(db, at, rows, budget)
  const eventBytes = await queueEvents(db, at, forWebhooks, budget)
  return { bytes, events: forWebhooks.length, eventBytes }
}

/** After the rows: others that count for the organization wait from here on. */
async function countBytes(
  db: Transaction,
  at: number,
  rows: readonly AuditEventTable[],
  budget: Budget,
): Promise<number> {
  let sum = 0
  for (const [organizationId, some] of Map.groupBy(rows, (row) => row.organizationId)) {
    const bytes = some.reduce((so, row) => so + bytesOf(row), 0)
    await countStored(db, { organizationId, kind: 'audit_bytes_a_day', period: dayOf(at), bytes }, budget)
    sum += bytes
  }
  return sum
}

/** The ids and times of an event, with half of their indexes: see npm run test:storage. */
const ROW_BYTES = 400

const bytesOf = ({ actorName, subject, details, changes }: AuditEventTable) =>
  [actorName, subject, details, changes].reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), ROW_BYTES)

async function insertRows(db: Transaction, rows: AuditEventTable[]): Promise<void> {
  const [only, ...others] = rows
  if (!only) return
  if (others.length === 0) return db.defer(db.insertInto('auditEvent').values(only))
  for (const some of partsOf(rows, ROWS_OF_A_STATEMENT)) {
    const given = db.selectFrom(longRows<AuditEventTable, 'given'>(db, COLUMNS, some, 'given')).select(COLUMN_NAMES)
    await db.defer(db.insertInto('auditEvent').columns(COLUMN_NAMES).expression(given))
  }
}

function rowOf(at: number, event: WholeEvent): AuditEventTable {
  const { action, subject, subjectType, subjectId, details, changes, actor, organizationId, ip } = event
  return {
    id: newId(at),
    organizationId,
    at,
    action,
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    subject: cleaned(subject),
    details: details === undefined ? null : cleaned(details),
    subjectType: subjectType ?? null,
    subjectId: subjectId ?? null,
    changes: changes === undefined ? null : storedChanges(changes),
    ip: ip === undefined ? null : plainAddress(ip),
  }
}

const COLUMNS = {
  id: 'text',
  organizationId: 'text',
  at: 'integer',
  action: 'text',
  actorKind: 'text',
  actorId: 'text',
  actorName: 'text',
  subject: 'text',
  details: 'text',
  subjectType: 'text',
  subjectId: 'text',
  changes: 'text',
  ip: 'text',
} as const satisfies Record<keyof AuditEventTable, string>

const COLUMN_NAMES = Object.keys(COLUMNS) as (keyof AuditEventTable)[] // the type of Object.keys does not say which

export const actionsHiddenFrom = (caller: Caller): readonly AuditAction[] =>
  seesCanaryKeys(caller) ? [] : CANARY_ACTIONS

const CANARY_ACTIONS = ALL_ACTIONS.filter((action) => action.startsWith('canary_key.'))

export async function listAuditEvents(
  ctx: Ctx,
  args: PageArgs & { filter?: AuditEventFilter | null | undefined },
): Promise<Page<AuditEventTable>> {
  requireAdmin(ctx.caller)
  const filter = args.filter ?? {}
  const isByIndex = filter.action !== OTHER_ACTION && conditionsOf(filter) <= 1
  const all = (db: Db) => eventsOf(db, ctx)
  const find = async (before: string | undefined, limit: number) => {
    const db = isByIndex ? ctx.reads : await readsFor(ctx, all)
    const events = matching(all(db), filter).selectAll().orderBy('id', 'desc').limit(limit)
    return (before === undefined ? events : events.where('id', '<', before)).execute()
  }
  return newestFirst(args, find, () => countMatching(ctx, all, (db) => matching(all(db), filter)))
}

/** Each of these has an index; together they narrow what one of them finds. */
const conditionsOf = ({ action, actorId, subjectId }: AuditEventFilter) =>
  [action, actorId, subjectId].filter((condition) => condition != null).length

function eventsOf(db: Db, { caller }: Ctx) {
  const events = db.selectFrom('auditEvent').where('organizationId', '=', caller.organizationId)
  const hidden = actionsHiddenFrom(caller)
  return hidden.length === 0 ? events : events.where('action', 'not in', hidden)
}

type Events = ReturnType<typeof eventsOf>

function matching(events: Events, { action, actorId, subjectId, since, until }: AuditEventFilter): Events {
  let found = events
  if (action === OTHER_ACTION) found = found.where('action', 'not in', ALL_ACTIONS)
  else if (action != null) found = found.where('action', '=', action)
  if (actorId != null) found = found.where('actorId', '=', actorId)
  if (subjectId != null) found = found.where('subjectId', '=', subjectId)
  // An event's id begins with its time, and the indexes are in the order of ids.
  if (since != null) found = found.where('at', '>=', since).where('id', '>=', firstIdAt(since))
  if (until != null) found = found.where('at', '<', until).where('id', '<', firstIdAt(until))
  return found
}
