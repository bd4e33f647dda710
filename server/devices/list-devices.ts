import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { Ctx } from '../ctx.ts'
import { countRows } from '../db/count.ts'
import { beginsWith } from '../db/prefix.ts'
import type { Tables } from '../db/tables.ts'
import { checkText, sortKey } from '../lib/check.ts'
import { decodeCursor, encodeCursor, type Page, type PageArgs, pageOf, pageSize } from '../lib/page.ts'
import { checkTags } from './device-input.ts'
import { type DeviceStatus, hasStatus } from './device-status.ts'
import { plainPages } from './plain-pages.ts'
import { DEVICE_COLUMNS, type Device, type DeviceColumn } from './stored-device.ts'

export interface DeviceListArgs extends PageArgs {
  /** How the name begins, in any case. */
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

/**
 * The devices of the organization by name; names that differ only in case stand together. Who needs only some columns says
 * so: the others are not there then.
 */
export async function listDevices(
  ctx: Ctx,
  args: DeviceListArgs,
  columns: readonly DeviceColumn[] = DEVICE_COLUMNS,
): Promise<Page<Device>> {
  const size = pageSize(args)
  const cursor = decodeCursor(args, ['string', 'string'])
  const wanted = checkWanted(args)
  const rows = wanted
    ? await pageOfWanted(ctx, wanted, columns, cursor, size + 1)
    : await pageOfAll(ctx, columns, cursor, size + 1)
  return pageOf(
    rows as Device[], // as far as they were asked for
    size,
    (row) => encodeCursor([row.nameKey, row.id]),
    () => countRows(matching(ctx, wanted ?? EVERYTHING, { read: false })),
  )
}

const EVERYTHING: Wanted = { begin: '', status: undefined, tags: [], enabled: undefined }

/** What to look for, or undefined when everything is wanted. */
function checkWanted({ search, filter }: DeviceListArgs): Wanted | undefined {
  if (!search && !filter) return undefined
  return {
    begin: sortKey(checkText('search', search ?? '', { min: 0 })),
    status: filter?.status ?? undefined,
    tags: checkTags('filter.tags', filter?.tags),
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

function pageOfWanted(ctx: Ctx, wanted: Wanted, columns: Columns, cursor: Cursor | undefined, limit: number) {
  const [nameKey, id] = orderOf(wanted)
  return matching(ctx, wanted, { read: true, cursor })
    .select(columns)
    .orderBy(nameKey)
    .orderBy(id)
    .limit(limit)
    .execute()
}

/** With tags, the rows of the first one are walked in place of the devices: they lie in the same order. */
const orderOf = ({ tags }: Wanted) =>
  tags.length === 0
    ? (['device.nameKey', 'device.id'] as const)
    : (['deviceTag.nameKey', 'deviceTag.deviceId'] as const)

type DeviceQuery = SelectQueryBuilder<Tables, 'device' | 'deviceTag', object>

/** The query for what is wanted, from the cursor on; to be read, or only counted. */
function matching(
  ctx: Ctx,
  wanted: Wanted,
  { read, cursor }: { read: boolean; cursor?: Cursor | undefined },
): DeviceQuery {
  const [nameKey, id] = orderOf(wanted)
  const { begin, status, enabled } = wanted
  const [tag, ...others] = wanted.tags
  const withDevices = read || status !== undefined || enabled !== undefined
  let query = tag === undefined ? allDevices(ctx) : taggedDevices(ctx, tag, withDevices)
  // Before the search: of two lower bounds SQLite takes the first to enter the index, and the cursor lies further on.
  if (cursor) query = query.where((eb) => eb(eb.refTuple(nameKey, id), '>', eb.tuple(...cursor)))
  if (begin !== '') query = query.where((eb) => beginsWith(eb, nameKey, begin))
  if (status !== undefined) query = query.where(hasStatus(status, ctx.now()))
  if (enabled !== undefined) query = query.where('device.enabled', '=', enabled ? 1 : 0)
  for (const other of others) query = query.where(hasTagToo(other))
  return query
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

/** Another tag is looked up by its whole key, so that both tags are walked side by side. */
function hasTagToo(tag: string): Expression<SqlBool> {
  const { exists, selectFrom } = expressionBuilder<Tables, 'deviceTag'>()
  return exists(
    selectFrom('deviceTag as also')
      .select('also.tag')
      .whereRef('also.organizationId', '=', 'deviceTag.organizationId')
      .where('also.tag', '=', tag)
      .whereRef('also.nameKey', '=', 'deviceTag.nameKey')
      .whereRef('also.deviceId', '=', 'deviceTag.deviceId'),
  )
}
