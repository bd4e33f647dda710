import { sql } from 'kysely'
import type { Ctx } from '../caller/ctx.ts'
import { type DeviceOrder, type Position, type Segment, segmentsOf } from './device-order.ts'
import { allDevices, fewDevices, taggedDevices } from './few-devices.ts'
import type { Device, DeviceColumn } from './stored-device.ts'
import {
  DEVICE_KEY,
  DEVICE_TAG_KEY,
  type DeviceQuery,
  EVERY_CONDITION,
  type How,
  type Wanted,
  whereWanted,
} from './wanted-devices.ts'

export interface RequestedPage {
  order: DeviceOrder
  columns: readonly DeviceColumn[]
  position: Position | undefined
  limit: number
}

/** A page in the order of an index, or of the few devices that come into question. */
export async function orderedPage(ctx: Ctx, wanted: Wanted, requested: RequestedPage): Promise<Partial<Device>[]> {
  const { order, columns, position, limit } = requested
  const few = await fewDevices(ctx, wanted, order)
  const rows: Partial<Device>[] = []
  for (const segment of segmentsFrom(order, position, wanted)) {
    if (rows.length === limit) break
    const { query, how } = few ? { query: few, how: ofFew(wanted) } : whereToBegin(ctx, wanted, order, segment)
    const after = position?.segment.label === segment.label ? position.after : undefined
    const found = whereWanted(ctx, from(query, segment, how, after), wanted, how)
    const page = inOrder(found, segment, how).limit(limit - rows.length)
    const whole = wanted.contains !== '' && !few ? wholeDevices(ctx, page, segment, how) : page
    rows.push(...(await whole.select(columns).execute()))
  }
  return rows
}

/** From that of the cursor on; without those that hold no device of the status. */
const segmentsFrom = (order: DeviceOrder, position: Position | undefined, { status }: Wanted): Segment[] => {
  const segments = segmentsOf(order)
  const first = segments.findIndex(({ label }) => label === position?.segment.label)
  const isSeen = status === undefined ? undefined : status !== 'NEVER_SEEN'
  return segments
    .slice(Math.max(first, 0))
    .filter((segment) => segment.isSeen === undefined || isSeen === undefined || segment.isSeen === isSeen)
}

const ofFew = ({ tags }: Wanted): How => ({ key: DEVICE_KEY, byIndex: EVERY_CONDITION, tags })

/** By name and with a tag, the rows of the tag are read in place of the devices: they have the same order. */
function whereToBegin(
  ctx: Ctx,
  { tags }: Wanted,
  order: DeviceOrder,
  segment: Segment,
): { query: DeviceQuery; how: How } {
  const [tag, ...others] = tags
  const byIndex = conditionsBy(order, segment)
  if (order.field === 'NAME' && tag !== undefined)
    return { query: taggedDevices(ctx, tag, true), how: { key: DEVICE_TAG_KEY, byIndex, tags: others } }
  return { query: allDevices(ctx), how: { key: DEVICE_KEY, byIndex, tags } }
}

/** The conditions that are a range of the index in this order, or have an index in the same order. */
function conditionsBy({ field }: DeviceOrder, { isSeen }: Segment): How['byIndex'] {
  if (field === 'NAME') return ['begin', 'enabled']
  if (field === 'UPDATED_AT') return ['updatedSince']
  if (field === 'LAST_SEEN_AT') return isSeen ? ['status'] : ['begin']
  return []
}

/** Before the conditions: of two lower bounds SQLite uses the first to enter the index, and the cursor is further on. */
function from(query: DeviceQuery, segment: Segment, how: How, after: Position['after'] | undefined): DeviceQuery {
  const { isSeen, direction } = segment
  let found = query
  if (after) {
    const columns = sql.join(columnsIn(segment, how).map((column) => sql.ref(column)))
    const compare = sql.raw(direction === 'asc' ? '>' : '<')
    found = found.where(sql<boolean>`(${columns}) ${compare} (${sql.join(after)})`)
  }
  if (isSeen === undefined) return found
  return isSeen ? found.where('device.lastSeenAt', '>=', 0) : found.where('device.lastSeenAt', 'is', null)
}

const inOrder = (query: DeviceQuery, segment: Segment, how: How): DeviceQuery =>
  columnsIn(segment, how).reduce((sorted, column) => sorted.orderBy(sql.ref(column), segment.direction), query)

/** By name, the columns may be those of the rows of a tag. */
const columnsIn = ({ columns }: Segment, { key }: How): readonly string[] =>
  columns.length === 2 && columns[0] === 'device.nameKey' ? key : columns

/** The devices of a page whose names and ids alone were read: so PostgreSQL too looks for a text in the index only. */
function wholeDevices({ reads }: Ctx, page: DeviceQuery, segment: Segment, how: How): DeviceQuery {
  const ids = page.select(sql.ref<string>(how.key[1]).as('id'))
  const whole = reads.selectFrom(ids.as('page')).innerJoin('device', 'device.id', 'page.id') as unknown as DeviceQuery // with a device each
  return inOrder(whole, segment, { ...how, key: DEVICE_KEY })
}
