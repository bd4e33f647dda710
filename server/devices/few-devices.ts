import type { Ctx } from '../caller/ctx.ts'
import { countRows } from '../db/count.ts'
import { beginsWith } from '../db/prefix.ts'
import type { DeviceOrder } from './device-order.ts'
import { areThese } from './device-rows.ts'
import { hasStatus } from './device-status.ts'
import { type DeviceQuery, nameContains, type Wanted } from './wanted-devices.ts'

/** This many are sorted in a millisecond or two; of more, a page is found soon enough in the order of the list. */
const FEW = 1000

export const allDevices = ({ reads, caller }: Ctx): DeviceQuery =>
  reads.selectFrom('device').where('device.organizationId', '=', caller.organizationId)

/** The rows of a tag, which have the names and ids of its devices; with these devices, if more of them is needed. */
export function taggedDevices({ reads, caller }: Ctx, tag: string, withDevices: boolean): DeviceQuery {
  const tagged = reads
    .selectFrom('deviceTag')
    .where('deviceTag.organizationId', '=', caller.organizationId)
    .where('deviceTag.tag', '=', tag)
  return withDevices ? tagged.innerJoin('device', 'device.id', 'deviceTag.deviceId') : tagged
}

/** If so few devices meet one of the conditions that it is best to read them all and sort them: those devices. */
export async function fewDevices(ctx: Ctx, wanted: Wanted, order: DeviceOrder): Promise<DeviceQuery | undefined> {
  if (wanted.ids) return theseDevices(ctx, wanted.ids)
  for (const some of candidates(ctx, wanted, order)) {
    const found = some.select((eb) => eb.lit(1).as('one')).limit(FEW + 1)
    if ((await countRows(ctx.reads.selectFrom(found.as('device')))) <= FEW) return asDevices(ctx, some)
  }
  return order.field === 'NAME' || wanted.contains === '' ? undefined : fewByName(ctx, wanted.contains)
}

/** By a part of their names: the whole index of names is read for it, so once only. */
async function fewByName(ctx: Ctx, contains: string): Promise<DeviceQuery | undefined> {
  const found = await allDevices(ctx)
    .where('device.nameKey', '>=', '') // so that the index of names is read, and no device that does not match
    .where(nameContains(ctx.reads, 'device.nameKey', contains))
    .select('device.id')
    .limit(FEW + 1)
    .execute()
  const ids = found.map(({ id }) => id)
  return ids.length > FEW ? undefined : theseDevices(ctx, ids)
}

export const theseDevices = (ctx: Ctx, ids: readonly string[]): DeviceQuery =>
  asDevices(ctx, ctx.reads.selectFrom('device').where(areThese(ctx, ids)))

/** Read first, because of the limit, and then filtered and sorted. */
const asDevices = ({ reads }: Ctx, some: DeviceQuery): DeviceQuery =>
  reads.selectFrom(some.selectAll('device').limit(FEW).as('device')) as unknown as DeviceQuery // columns are equal

/** By an index each. Without those that the index of this order serves as well. */
function candidates(ctx: Ctx, wanted: Wanted, { field }: DeviceOrder): DeviceQuery[] {
  const { begin, status, tags, updatedSince } = wanted
  const all = allDevices(ctx)
  const isByName = field === 'NAME'
  const found: DeviceQuery[] = []
  const [tag] = tags
  if (tag !== undefined && !isByName) found.push(taggedDevices(ctx, tag, true))
  if (status !== undefined && field !== 'LAST_SEEN_AT' && !(isByName && status === 'NEVER_SEEN'))
    found.push(all.where(hasStatus(status, ctx.now(), 'index')))
  if (updatedSince !== undefined && field !== 'UPDATED_AT')
    found.push(all.where('device.updatedAt', '>=', updatedSince))
  if (begin !== '' && !isByName) found.push(all.where((eb) => beginsWith(eb, 'device.nameKey', begin)))
  return found
}
