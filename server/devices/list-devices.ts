import type { Ctx } from '../ctx.ts'
import { countRows } from '../db/count.ts'
import { countMatching, readerFor } from '../db/long-list.ts'
import { type Page, type PageArgs, pageOf, pageSize } from '../lib/page.ts'
import { cursorIn, type DeviceOrder, isDefault, type Position, positionIn } from './device-order.ts'
import { idsByName } from './device-rows.ts'
import { allDevices, taggedDevices, theseDevices } from './few-devices.ts'
import { type AskedPage, orderedPage } from './ordered-page.ts'
import { plainPages } from './plain-pages.ts'
import { DEVICE_COLUMNS, type Device, type DeviceColumn } from './stored-device.ts'
import {
  checkWanted,
  type DeviceFilter,
  EVERY_CONDITION,
  NO_CONDITIONS,
  OF_DEVICES,
  OF_TAGS,
  type Wanted,
  whereWanted,
} from './wanted-devices.ts'

export interface DeviceListArgs extends PageArgs {
  /** A prefix of the name, in any case. */
  search?: string | null | undefined
  filter?: DeviceFilter | null | undefined
  orderBy?: DeviceOrder | null | undefined
}

const BY_NAME: DeviceOrder = { field: 'NAME', direction: 'ASC' }

/** The devices of the organization by name, case-insensitive, or in another order. With `columns`, only these are read. */
export async function listDevices(
  ctx: Ctx,
  args: DeviceListArgs,
  columns: readonly DeviceColumn[] = DEVICE_COLUMNS,
): Promise<Page<Device>> {
  const size = pageSize(args)
  const order = args.orderBy ?? BY_NAME
  const position = positionIn(order, args)
  const wanted = checkWanted(args.search, args.filter)
  const limit = size + 1
  const rows =
    wanted || !isDefault(order)
      ? await pageOfWanted(ctx, wanted ?? NO_CONDITIONS, { order, columns, position, limit })
      : await pageOfAll(ctx, columns, position, limit)
  return pageOf(
    rows as Device[], // the columns that were requested
    size,
    (row) => cursorIn(order, row),
    () => (wanted ? countWanted(ctx, wanted) : countMatching(ctx, (db) => allDevices({ ...ctx, db }))),
  )
}

function pageOfAll(
  { db, caller }: Ctx,
  columns: readonly DeviceColumn[],
  position: Position | undefined,
  limit: number,
) {
  const { organizationId } = caller
  const { first, next } = plainPages(columns)
  if (!position) return first(db, { organizationId, limit })
  const [nameKey, id] = position.after
  return next(db, { organizationId, limit, nameKey: String(nameKey), id: String(id) })
}

/** Filters and counts may read every device of the organization; without a filter, every order has its index. */
async function pageOfWanted(asked: Ctx, wanted: Wanted, page: AskedPage) {
  if (wanted === NO_CONDITIONS) return orderedPage(asked, wanted, page)
  const ctx = await whereLong(asked)
  return orderedPage(ctx, await withIds(ctx, wanted), page)
}

const whereLong = async (ctx: Ctx): Promise<Ctx> => ({
  ...ctx,
  db: await readerFor(ctx, (db) => allDevices({ ...ctx, db })),
})

/** Names are looked up first: the rest is as for ids. */
async function withIds(ctx: Ctx, wanted: Wanted): Promise<Wanted> {
  if (!wanted.names) return wanted
  const named = new Set((await idsByName(ctx, wanted.names)).values())
  return { ...wanted, ids: wanted.ids ? wanted.ids.filter((id) => named.has(id)) : [...named] }
}

async function countWanted(asked: Ctx, given: Wanted): Promise<number> {
  const ctx = await whereLong(asked)
  const wanted = await withIds(ctx, given)
  const { ids, tags, status, enabled, updatedSince } = wanted
  const [tag, ...others] = tags
  if (ids || tag === undefined) {
    const devices = ids ? theseDevices(ctx, ids) : allDevices(ctx)
    return countRows(whereWanted(ctx, devices, wanted, { key: OF_DEVICES, byIndex: EVERY_CONDITION, tags }))
  }
  const withDevices = status !== undefined || enabled !== undefined || updatedSince !== undefined
  const tagged = taggedDevices(ctx, tag, withDevices)
  return countRows(whereWanted(ctx, tagged, wanted, { key: OF_TAGS, byIndex: EVERY_CONDITION, tags: others }))
}
