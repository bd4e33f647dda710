import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { Ctx } from '../ctx.ts'
import { countRows } from '../db/count.ts'
import { countMatching, readerFor } from '../db/long-list.ts'
import { beginsWith } from '../db/prefix.ts'
import type { Tables } from '../db/tables.ts'
import { checkAnyText, sortKey } from '../lib/check.ts'
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import { decodeCursor, encodeCursor, type Page, type PageArgs, pageOf, pageSize } from '../lib/page.ts'
import { checkTags } from './device-input.ts'
import { type DeviceStatus, hasStatus } from './device-status.ts'
import { plainPages } from './plain-pages.ts'
import { DEVICE_COLUMNS, type Device, type DeviceColumn } from './stored-device.ts'

export interface DeviceListArgs extends PageArgs {
  /** A prefix of the name, in any case. */
  search?: string | null | undefined
  filter?:
    | {
        status?: DeviceStatus | null | undefined
        /** A device must have all of them. */
        tags?: readonly string[] | null | undefined
        enabled?: boolean | null | undefined
      }
    | null
    | undefined
}

interface Wanted {
  begin: string
  status: DeviceStatus | undefined
  tags: string[]
  enabled: boolean | undefined
}

type Cursor = [nameKey: string, id: string]

/** This many are sorted in a millisecond or two; of more, a page is found soon enough in the order of the list. */
const FEW = 1000

/** The devices of the organization by name, case-insensitive. With `columns`, only these are read. */
export function listDevices(
  ctx: Ctx,
  args: DeviceListArgs,
  columns: readonly DeviceColumn[] = DEVICE_COLUMNS,
): MaybePromise<Page<Device>> {
  const size = pageSize(args)
  const cursor = decodeCursor(args, ['string', 'string'])
  const wanted = checkWanted(args)
  const limit = size + 1
  const found = wanted ? pageOfWanted(ctx, wanted, columns, cursor, limit) : pageOfAll(ctx, columns, cursor, limit)
  return andThen<Partial<Device>[], Page<Device>>(found, (rows) =>
    pageOf(
      rows as Device[], // the columns that were requested
      size,
      (row) => encodeCursor([row.nameKey, row.id]),
      () => (wanted ? countWanted(ctx, wanted) : countMatching(ctx, (db) => allDevices({ ...ctx, db }))),
    ),
  )
}

/** Filters and counts may read every device of the organization. */
const whereLong = async (ctx: Ctx): Promise<Ctx> => ({
  ...ctx,
  db: await readerFor(ctx, (db) => allDevices({ ...ctx, db })),
})

const countWanted = async (ctx: Ctx, wanted: Wanted) =>
  countRows(matching(await whereLong(ctx), wanted, { to: 'count' }))

/** What to search for, or undefined for everything. */
function checkWanted({ search, filter }: DeviceListArgs): Wanted | undefined {
  if (!search && !filter) return undefined
  return {
    begin: sortKey(checkAnyText('search', search ?? '')),
    status: filter?.status ?? undefined,
    tags: checkTags('filter.tags', filter?.tags, checkAnyText),
    enabled: filter?.enabled ?? undefined,
  }
}

type Columns = readonly DeviceColumn[]

function pageOfAll({ db, caller }: Ctx, columns: Columns, cursor: Cursor | undefined, limit: number) {
  const { organizationId } = caller
  const { first, next } = plainPages(columns)
  if (!cursor) return first(db, { organizationId, limit })
  return next(db, { organizationId, limit, nameKey: cursor[0], id: cursor[1] })
}

async function pageOfWanted(asked: Ctx, wanted: Wanted, columns: Columns, cursor: Cursor | undefined, limit: number) {
  const ctx = await whereLong(asked)
  const to = (await areFew(ctx, wanted)) ? 'read few' : 'read'
  const [nameKey, id] = orderOf(wanted, to)
  return matching(ctx, wanted, { to, cursor }).select(columns).orderBy(nameKey).orderBy(id).limit(limit).execute()
}

/** Whether so few devices have the status that it is best to read them all and sort them. */
async function areFew(ctx: Ctx, { status }: Wanted): Promise<boolean> {
  if (status === undefined || status === 'NEVER_SEEN') return false
  const some = withStatus(ctx, status, FEW + 1)
  return (await countRows(ctx.db.selectFrom(some.as('device')))) <= FEW
}

const withStatus = (ctx: Ctx, status: DeviceStatus, limit: number) =>
  allDevices(ctx)
    .where(hasStatus(status, ctx.now(), 'index'))
    .selectAll('device')
    .limit(limit)

/** Two ways to read: in the order of an index, or a few at once. Counting needs no order. */
type Purpose = 'read' | 'read few' | 'count'

/** With tags, the rows of the first tag are read in place of the devices: they have the same order. */
const orderOf = ({ tags }: Wanted, to: Purpose) =>
  tags.length === 0 || to === 'read few'
    ? (['device.nameKey', 'device.id'] as const)
    : (['deviceTag.nameKey', 'deviceTag.deviceId'] as const)

type DeviceQuery = SelectQueryBuilder<Tables, 'device' | 'deviceTag', object>

/** The query for the filter, from the cursor on. */
function matching(ctx: Ctx, wanted: Wanted, { to, cursor }: { to: Purpose; cursor?: Cursor | undefined }): DeviceQuery {
  const [nameKey, id] = orderOf(wanted, to)
  const { begin, status, enabled } = wanted
  let { query, tags } = whereToBegin(ctx, wanted, to)
  // Before the search: of two lower bounds SQLite uses the first to enter the index, and the cursor is further on.
  if (cursor) query = query.where((eb) => eb(eb.refTuple(nameKey, id), '>', eb.tuple(...cursor)))
  if (begin !== '') query = query.where((eb) => beginsWith(eb, nameKey, begin))
  if (status !== undefined && to !== 'read few') {
    query = query.where(hasStatus(status, ctx.now(), to === 'count' ? 'index' : 'looking'))
  }
  if (enabled !== undefined) query = query.where('device.enabled', '=', enabled ? 1 : 0)
  for (const tag of tags) query = query.where(hasTag(ctx, tag, nameKey, id))
  return query
}

/** The rows to read, and the tags that remain to be checked for each. */
function whereToBegin(
  ctx: Ctx,
  { tags, status, enabled }: Wanted,
  to: Purpose,
): { query: DeviceQuery; tags: string[] } {
  const [tag, ...others] = tags
  if (to === 'read few' && status !== undefined) {
    const few = withStatus(ctx, status, FEW)
    return { query: ctx.db.selectFrom(few.as('device')) as unknown as DeviceQuery, tags } // the same columns
  }
  if (tag === undefined) return { query: allDevices(ctx), tags }
  const withDevices = to === 'read' || status !== undefined || enabled !== undefined
  return { query: taggedDevices(ctx, tag, withDevices), tags: others }
}

const allDevices = ({ db, caller }: Ctx): DeviceQuery =>
  db.selectFrom('device').where('device.organizationId', '=', caller.organizationId)

function taggedDevices({ db, caller }: Ctx, tag: string, withDevices: boolean): DeviceQuery {
  const tagged = db
    .selectFrom('deviceTag')
    .where('deviceTag.organizationId', '=', caller.organizationId)
    .where('deviceTag.tag', '=', tag)
  return withDevices ? tagged.innerJoin('device', 'device.id', 'deviceTag.deviceId') : tagged
}

/**
 * A tag is looked up by its whole key. As a scalar, not by `exists`, which PostgreSQL would turn into a join of all
 * devices with it.
 */
function hasTag({ caller }: Ctx, tag: string, nameKey: OrderColumn, id: OrderColumn): Expression<SqlBool> {
  const { selectFrom, eb } = expressionBuilder<Tables, 'device' | 'deviceTag'>()
  const found = selectFrom('deviceTag as also')
    .select('also.tag')
    .where('also.organizationId', '=', caller.organizationId)
    .where('also.tag', '=', tag)
    .whereRef('also.nameKey', '=', nameKey)
    .whereRef('also.deviceId', '=', id)
  return eb(found, 'is not', null)
}

type OrderColumn = ReturnType<typeof orderOf>[number]
