import { type RawBuilder, sql } from 'kysely'
import type { AuditAction } from '../../audit/actions.ts'
import { actionsHiddenFrom } from '../../audit/audit-event.ts'
import { type Caller, type Ctx, requireAdmin } from '../../caller/ctx.ts'
import type { AuditEventTable } from '../../db/audit-event-table.ts'
import { countRows } from '../../db/count.ts'
import { tooManyWaiting } from '../../db/heavy-reads.ts'
import { isPostgres } from '../../db/locks.ts'
import { heavyReads } from '../../db/long-list.ts'
import type { Db } from '../../db/tables.ts'
import { AppError } from '../../lib/app-error.ts'
import { SECOND } from '../../lib/clock.ts'
import { ConcurrencyLimit } from '../../lib/concurrency-limit.ts'
import { AFTER_ALL_IDS, firstIdAt, isId, timeOfId } from '../../lib/id.ts'
import { decodeCursor, type Page, type PageArgs, pageBy, pageSize } from '../../lib/page.ts'
import { partsOf } from '../../lib/parts.ts'
import { type KeyWithDescendants, keyWithDescendants, MARGIN_MS } from './key-with-descendants.ts'

const KEYS_AT_ONCE = 1000
/** Its actor is the key, which has changed nothing. */
const NO_WRITE: AuditAction = 'api_key.refused'

export interface ApiKeyChanges extends Page<AuditEventTable> {
  keyCount: number
  isComplete: boolean
}

interface Wanted {
  since?: number | null | undefined
  before?: string | undefined
}

/** The writes of a key and of the keys that it created, also of revoked ones, the newest first. */
export async function apiKeyChanges(
  ctx: Ctx,
  id: string,
  { since, ...args }: PageArgs & Pick<Wanted, 'since'>,
): Promise<ApiKeyChanges> {
  const size = pageSize(args)
  const cursor = decodeCursor(args, ['string'])
  const { db, keys } = await findKeys(ctx, id)
  const rows = await newestEvents(ctx, db, keys.ids, { since, before: cursor?.[0] }, size + 1)
  const page = pageBy(['id'], rows, size, () => countEvents(ctx, db, keys.ids, since))
  return { ...page, keyCount: keys.ids.length, isComplete: keys.isComplete }
}

/** Each has the keys of up to 200,000 events in memory. */
const searches = new ConcurrencyLimit({
  atOnce: 2,
  atOnceOfGroup: 1,
  maxWaiting: 1000,
  maxWaitingOfGroup: 100,
  patienceMs: 10 * SECOND,
  refusal: tooManyWaiting,
})

async function findKeys(ctx: Ctx, id: string): Promise<{ db: Db; keys: KeyWithDescendants }> {
  requireAdmin(ctx.caller)
  const db = heavyReads(ctx)
  const search = () => keyWithDescendants(ctx, db, id)
  const keys = isId(id) ? await searches.run(ctx.caller.organizationId, search, ctx.isDisconnected) : undefined
  if (!keys) throw new AppError('NOT_FOUND')
  return { db, keys }
}

const notListedFor = (caller: Caller): AuditAction[] => [NO_WRITE, ...actionsHiddenFrom(caller)]

/** The newest events of each part of the keys, then the newest of them. */
async function newestEvents(
  { caller }: Ctx,
  db: Db,
  ids: string[],
  { since, before = AFTER_ALL_IDS }: Wanted,
  most: number,
): Promise<AuditEventTable[]> {
  const until = before === AFTER_ALL_IDS ? Number.POSITIVE_INFINITY : timeOfId(before)
  const earlyEnough = ids.filter((id) => timeOfId(id) - MARGIN_MS <= until) // the others were created later
  const from = since == null ? '' : firstIdAt(since)
  let newest: string[] = []
  for (const actorIds of partsOf(earlyEnough, KEYS_AT_ONCE)) {
    const wanted = { organizationId: caller.organizationId, actorIds, except: notListedFor(caller), from, before, most }
    const { rows } = await newestEventsOf(db, wanted).execute(db)
    newest = [...newest, ...rows.map((row) => row.id)].sort().toReversed().slice(0, most)
  }
  if (newest.length === 0) return []
  return db.selectFrom('auditEvent').selectAll().where('id', 'in', newest).orderBy('id', 'desc').execute()
}

interface WantedEvents {
  organizationId: string
  actorIds: readonly string[]
  /** Without these actions, at least one. */
  except: readonly string[]
  /** From this id on, and before that one. */
  from: string
  before: string
  most: number
}

/** Reads no more events of each actor than can be needed, by an index: an order by over all actors would read every event. */
export function newestEventsOf(db: Db, wanted: WantedEvents) {
  const { actorIds, most } = wanted
  const actors = JSON.stringify(actorIds)
  return isPostgres(db)
    ? sql<{ id: string }>`
      select "event"."id" from jsonb_array_elements_text(${actors}::text::jsonb) as "actor" ("value")
      cross join lateral (${newestOfOne(sql`"auditEvent"`, wanted)}) as "event"
      order by "event"."id" desc limit ${most}`
    : sql<{ id: string }>`
      select "event"."id" from json_each(${actors}) as "actor"
      cross join "auditEvent" as "event" on "event"."id" in (${newestOfOne(BY_ACTOR, wanted)})
      order by "event"."id" desc limit ${most}`
}

/** SQLite takes another index by itself, and so reads the events of all actors for each. */
const BY_ACTOR = sql`"auditEvent" indexed by "auditEventByActor"`

const newestOfOne = (table: RawBuilder<unknown>, { organizationId, except, from, before, most }: WantedEvents) => sql`
  select "id" from ${table}
  where "organizationId" = ${organizationId} and "actorId" = "actor"."value"
    and "id" >= ${from} and "id" < ${before} and "action" not in (${sql.join(except)})
  order by "id" desc limit ${most}`

/** By the index on organization and actor, too. */
async function countEvents({ caller }: Ctx, db: Db, ids: string[], since: Wanted['since']): Promise<number> {
  let count = 0
  for (const part of partsOf(ids, KEYS_AT_ONCE)) {
    const events = db
      .selectFrom('auditEvent')
      .where('organizationId', '=', caller.organizationId)
      .where('actorId', 'in', part)
      .where('action', 'not in', notListedFor(caller))
    count += await countRows(since == null ? events : events.where('id', '>=', firstIdAt(since)))
  }
  return count
}
