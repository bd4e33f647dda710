import type { Ctx } from '../caller/ctx.ts'
import { countRows, countRowsUpTo } from '../db/count.ts'
import { countMatching, readsFor } from '../db/long-list.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { type Page, type PageArgs, pageOf, pageSize } from '../lib/page.ts'
import {
  cursorIn,
  type DeviceOrder,
  type DeviceOrderField,
  isDefault,
  type Position,
  positionIn,
} from './device-order.ts'
import { idsByName } from './device-rows.ts'
import { allDevices, taggedDevices, theseDevices } from './few-devices.ts'
import { orderedPage, type RequestedPage } from './ordered-page.ts'
import { DEVICE_COLUMNS, type Device, type DeviceColumn } from './stored-device.ts'
import {
  checkWanted,
  DEVICE_KEY,
  DEVICE_TAG_KEY,
  type DeviceFilter,
  type DeviceQuery,
  EVERY_CONDITION,
  NO_CONDITIONS,
  type Wanted,
  whereWanted,
} from './wanted-devices.ts'

export interface DeviceListArgs extends PageArgs {
  /** A prefix of the name, in any case. */
  search?: string | null | undefined
  filter?: DeviceFilter | null | undefined
  orderBy?: DeviceOrder | null | undefined
}

interface RequestedOfDevices {
  items: readonly string[]
  pageInfo: boolean
}

const BY_NAME: DeviceOrder = { field: 'NAME', direction: 'ASC' }

/** The most that are counted where it may stop: 10,000, and one more that says so. */
export const MAX_COUNT_UP_TO = 10_001

export interface DevicePage extends Page<Device> {
  countUpTo: (most: number) => Promise<number>
}

/** The devices of the organization by name, case-insensitive, or in another order. With `requested`, only that is read. */
export async function listDevices(ctx: Ctx, args: DeviceListArgs, requested?: RequestedOfDevices): Promise<DevicePage> {
  const size = pageSize(args)
  const limit = size + 1
  const { search, filter, orderBy, after } = args
  const order = orderBy ?? BY_NAME
  const columns = columnsFor(requested, order.field)
  const position = after == null ? undefined : positionIn(order, after)
  const wanted = search || filter ? checkWanted(search, filter) : undefined
  const isPlain = !wanted && (!orderBy || isDefault(orderBy))
  const rows = isPlain
    ? await plainPage(ctx, columns, position, limit)
    : await pageOfWanted(ctx, wanted ?? NO_CONDITIONS, { order, columns, position, limit })
  const page = pageOf(
    rows as Device[], // the columns that were requested
    size,
    (row) => cursorIn(order, row),
    () => (wanted ? countWanted(ctx, wanted) : countMatching(ctx, (reads) => allDevices({ ...ctx, reads }))),
  )
  return Object.assign(page, { countUpTo: (most: number) => countWanted(ctx, wanted ?? NO_CONDITIONS, most) })
}

/** Filters and counts may read every device of the organization; without a filter, every order has its index. */
async function pageOfWanted(outer: Ctx, wanted: Wanted, page: RequestedPage) {
  if (wanted === NO_CONDITIONS) return orderedPage(outer, wanted, page)
  const ctx = await whereLong(outer)
  return orderedPage(ctx, await withIds(ctx, wanted), page)
}

const whereLong = async (ctx: Ctx): Promise<Ctx> => ({
  ...ctx,
  reads: await readsFor(ctx, (reads) => allDevices({ ...ctx, reads })),
})

/** Names are looked up first: the rest is as for ids. */
async function withIds(ctx: Ctx, wanted: Wanted): Promise<Wanted> {
  if (!wanted.names) return wanted
  const named = new Set((await idsByName(ctx, wanted.names)).values())
  return { ...wanted, ids: wanted.ids ? wanted.ids.filter((id) => named.has(id)) : [...named] }
}

/** How many there are; with `most`, as many or more. */
async function countWanted(outer: Ctx, given: Wanted, most?: number): Promise<number> {
  const ctx = await whereLong(outer)
  const found = allWanted(ctx, await withIds(ctx, given))
  return most === undefined ? countRows(found) : countRowsUpTo(ctx.reads, found, most)
}

function allWanted(ctx: Ctx, wanted: Wanted): DeviceQuery {
  const { ids, tags, status, enabled, updatedSince } = wanted
  const [tag, ...others] = tags
  if (ids || tag === undefined) {
    const devices = ids ? theseDevices(ctx, ids) : allDevices(ctx)
    return whereWanted(ctx, devices, wanted, { key: DEVICE_KEY, byIndex: EVERY_CONDITION, tags })
  }
  const withDevices = status !== undefined || enabled !== undefined || updatedSince !== undefined
  const tagged = taggedDevices(ctx, tag, withDevices)
  return whereWanted(ctx, tagged, wanted, { key: DEVICE_TAG_KEY, byIndex: EVERY_CONDITION, tags: others })
}

const CURSOR: readonly DeviceColumn[] = ['device.nameKey', 'device.id']
const SOURCE_COLUMN: Readonly<Record<string, DeviceColumn | undefined>> = {
  status: 'device.lastSeenAt',
  __typename: 'device.id',
}

/** The columns to read for the requested fields, in the order of all columns: so the same ones are the same query. */
function columnsFor(requested: RequestedOfDevices | undefined, order: DeviceOrderField): readonly DeviceColumn[] {
  if (!requested || order !== 'NAME') return DEVICE_COLUMNS // another order has other columns in its cursor
  const needed = new Set<DeviceColumn | undefined>(['device.id', ...(requested.pageInfo ? CURSOR : [])])
  for (const field of requested.items)
    needed.add(SOURCE_COLUMN[field] ?? DEVICE_COLUMNS.find((column) => column === `device.${field}`))
  return needed.has(undefined) ? DEVICE_COLUMNS : DEVICE_COLUMNS.filter((column) => needed.has(column))
}

interface PlainPages {
  first(db: Db, values: { organizationId: string; limit: number }): Promise<Partial<Device>[]>
  next(
    db: Db,
    values: { organizationId: string; limit: number; nameKey: string; id: string },
  ): Promise<Partial<Device>[]>
}

/** By their columns, of which there are 2,048 sets at most. */
const known = new Map<string, PlainPages>()

/** A page of all devices of the organization by name, which is what most requests ask for. */
function plainPage(
  { reads, caller: { organizationId } }: Ctx,
  columns: readonly DeviceColumn[],
  position: Position | undefined,
  limit: number,
): Promise<Partial<Device>[]> {
  const key = columns.join()
  const pages = known.get(key) ?? preparePages(columns)
  known.set(key, pages)
  if (!position) return pages.first(reads, { organizationId, limit })
  const [nameKey, id] = position.after
  return pages.next(reads, { organizationId, limit, nameKey: String(nameKey), id: String(id) })
}

function preparePages(columns: readonly DeviceColumn[]): PlainPages {
  const inOrder = (db: Db, organizationId: string, limit: number) =>
    db
      .selectFrom('device')
      .select(columns)
      .where('organizationId', '=', organizationId)
      .orderBy('nameKey')
      .orderBy('id')
      .limit(limit)
  return {
    first: prepared((db, values: { organizationId: string; limit: number }) =>
      inOrder(db, values.organizationId, values.limit),
    ),
    next: prepared((db, values: { organizationId: string; limit: number; nameKey: string; id: string }) =>
      inOrder(db, values.organizationId, values.limit).where((eb) =>
        eb(eb.refTuple('nameKey', 'id'), '>', eb.tuple(values.nameKey, values.id)),
      ),
    ),
  }
}
