import type { Ctx, TransactionCtx } from '../caller/ctx.ts'
import { sortKey } from '../lib/check.ts'
import { newId } from '../lib/id.ts'
import { type Done, type Item, type Outcome, recordInOrder, runBulk } from './bulk.ts'
import { countUpTo, tooManyDevices } from './device-count.ts'
import { createdEvent } from './device-events.ts'
import { checkNewDevice, type DeviceValues, type NewDeviceInput } from './device-input.ts'
import { deleteRows, insertDevices, insertTags } from './device-rows.ts'
import { nameTaken, oncePerCall } from './repeated.ts'
import type { Device } from './stored-device.ts'

/** Adds many devices: as `createDevice` for each. */
export const createDevices = (ctx: Ctx, inputs: readonly NewDeviceInput[], atomic: boolean): Promise<Outcome[]> =>
  runBulk<NewDeviceInput, DeviceValues>(ctx, {
    inputs,
    atomic,
    check: oncePerCall('name', checkNewDevice),
    work: async (ctx, items, done) => {
      await insertNew(ctx, items, done)
      for (const { place } of items) if (!done.outcomes.has(place)) done.outcomes.set(place, nameTaken())
      await recordInOrder(ctx, done.events)
    },
  })

/** Adds the devices whose names are free, as far as there is room for them. The others have no outcome yet. */
export async function insertNew(
  ctx: TransactionCtx,
  items: readonly Item<DeviceValues>[],
  { outcomes, events }: Done,
): Promise<void> {
  const all = items.map(({ place, value }) => ({ place, device: newDevice(ctx, value) }))
  const inserted = await insertDevices(ctx, all.map(deviceOf))
  const added = all.filter(({ device }) => inserted.has(device.id))
  const room = await countUpTo(ctx, added.length)
  const [created, tooMany] = [added.slice(0, room), added.slice(room)]
  const gone = tooMany.map(({ device }) => device.id)
  for (const { place } of tooMany) outcomes.set(place, tooManyDevices())
  for (const { place, device } of created) {
    outcomes.set(place, device)
    events.set(place, createdEvent(device))
  }
  await deleteRows(ctx, gone)
  await insertTags(ctx, created.map(deviceOf))
}

const deviceOf = ({ device }: { device: Device }) => device

function newDevice(ctx: Ctx, values: DeviceValues): Device {
  const now = ctx.now()
  const id = newId(now)
  return { ...values, id, nameKey: sortKey(values.name), lastSeenAt: null, createdAt: now, updatedAt: now }
}
