import type { AuditAction } from '../../audit/actions.ts'
import { actionsHiddenFrom } from '../../audit/audit-event.ts'
import { type Caller, type Ctx, requireAdmin } from '../../ctx.ts'
import type { AuditEventTable } from '../../db/audit-event-table.ts'
import { countRows } from '../../db/count.ts'
import { tooManyWaiting } from '../../db/heavy-reads.ts'
import { heavyReadOf } from '../../db/long-list.ts'
import { newestEventsOf } from '../../db/newest-events.ts'
import type { Db } from '../../db/tables.ts'
import { AppError } from '../../lib/app-error.ts'
import { SECOND } from '../../lib/clock.ts'
import { ConcurrencyLimit } from '../../lib/concurrency-limit.ts'
import { firstIdAt, isId, timeOfId } from '../../lib/id.ts'
import {
  decodeCursor,
  encodeCursor,
  MAX_PAGE_SIZE,
  type Page,
  type PageArgs,
  pageOf,
  pageSize,
} from '../../lib/page.ts'
import { partsOf } from '../../lib/parts.ts'
import { type KeyWithDescendants, keyWithDescendants, MARGIN_MS } from './descendants.ts'

const KEYS_AT_ONCE = 1000
const BEHIND_ALL_IDS = '~'
/** Its actor is the key, which has changed nothing. */
const NO_WRITE: AuditAction = 'api_key.refused'

/** What a key and its descendants have changed. */
export interface ApiKeyChanges extends Page<AuditEventTable> {
  /** How many keys these are: the key itself, and those that it created. */
  keyCount: number
  /** Whether the changes of all of its descendants are listed. */
  isComplete: boolean
}

interface Wanted {
  since?: number | null | undefined
  /** Only events before the one with this id. */
  before?: string | undefined
}

/**
 * The writes of a key and of the keys that it created, the newest first. They may have been revoked: the answer is in the
 * audit log for as long as that is stored.
 */
export async function apiKeyChanges(
  ctx: Ctx,
  id: string,
  { since, ...page }: PageArgs & Pick<Wanted, 'since'>,
): Promise<ApiKeyChanges> {
  const size = pageSize(page)
  const cursor = decodeCursor(page, ['string'])
  const { db, keys } = await findKeys(ctx, id)
  const rows = await newestEvents(ctx, db, keys.ids, { since, before: cursor?.[0] }, size + 1)
  return {
    ...pageOf(
      rows,
      size,
      (row) => encodeCursor([row.id]),
      () => countEvents(ctx, db, keys.ids, since),
    ),
    keyCount: keys.ids.length,
    isComplete: keys.isComplete,
  }
}

/** The same in parts, however many there are. */
export async function exportKeyChanges(
  ctx: Ctx,
  id: string,
  { since }: Pick<Wanted, 'since'> = {},
): Promise<{ keys: KeyWithDescendants; events: AsyncGenerator<AuditEventTable[]> }> {
  const { db, keys } = await findKeys(ctx, id)
  return { keys, events: partsOfEvents(ctx, db, keys.ids, since) }
}

async function* partsOfEvents(ctx: Ctx, db: Db, ids: string[], since: Wanted['since']) {
  for (let before: string | undefined, more = true; more; ) {
    const rows = await newestEvents(ctx, db, ids, { since, before }, MAX_PAGE_SIZE)
    if (rows.length > 0) yield rows
    before = rows.at(-1)?.id
    more = rows.length === MAX_PAGE_SIZE
  }
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
  const db = heavyReadOf(ctx)
  const search = () => keyWithDescendants(ctx, db, id)
  const keys = isId(id) ? await searches.run(ctx.caller.organizationId, search, ctx.isDisconnected) : undefined
  if (!keys) throw new AppError('NOT_FOUND')
  return { db, keys }
}

const notListedFor = (caller: Caller): AuditAction[] => [NO_WRITE, ...actionsHiddenFrom(caller)]

/** Of each part of the keys the newest, then the newest of them. */
async function newestEvents(
  { caller }: Ctx,
  db: Db,
  ids: string[],
  { since, before = BEHIND_ALL_IDS }: Wanted,
  most: number,
): Promise<AuditEventTable[]> {
  const until = before === BEHIND_ALL_IDS ? Number.POSITIVE_INFINITY : timeOfId(before)
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

/** By the same index. */
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
