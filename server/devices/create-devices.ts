import type { Ctx, TransactionCtx } from '../caller/ctx.ts'
import { AppError } from '../lib/app-error.ts'
import { sortKey } from '../lib/check.ts'
import { newId } from '../lib/id.ts'
import { type Done, type Item, type Outcome, recordInOrder, runBulk } from './bulk.ts'
import { countUpTo, tooManyDevices } from './device-count.ts'
import { createdEvent } from './device-events.ts'
import { checkDeviceChanges, checkNewDevice, type DeviceValues, type NewDeviceInput } from './device-input.ts'
import { deleteRows, idsByName, insertDevices, insertTags, lockDevices } from './device-rows.ts'
import { nameTaken, oncePerCall } from './repeated.ts'
import type { Device } from './stored-device.ts'
import { applyChanges, type Change } from './update-devices.ts'

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
async function insertNew(
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
  const neverSeen = { lastSeenAt: null, checkIns: null, firstCheckInAt: null }
  return { ...values, ...neverSeen, id, nameKey: sortKey(values.name), createdAt: now, updatedAt: now }
}

/** A device as it is to be if it is new, and what changes if there is one of this name. */
interface Upsert {
  name: string
  whole: DeviceValues
  changes: Partial<DeviceValues>
}

/** Adds those that the organization does not have, by name, and changes the others: as `updateDevice` for each. */
export const upsertDevices = (ctx: Ctx, inputs: readonly NewDeviceInput[], atomic: boolean): Promise<Outcome[]> =>
  runBulk<NewDeviceInput, Upsert>(ctx, {
    inputs,
    atomic,
    check: oncePerCall('name', checkUpsert),
    work: async (ctx, items, done) => {
      const whole = items.map(({ place, value }) => ({ place, value: value.whole }))
      await insertNew(ctx, whole, done)
      await applyChanges(ctx, await changesOfExisting(ctx, items, done), done)
      await recordInOrder(ctx, done.events)
    },
  })

function checkUpsert(input: NewDeviceInput): Upsert {
  const whole = checkNewDevice(input)
  const { enabled, ...given } = input
  const isGiven = typeof enabled === 'boolean' // neither null nor the default of a new device
  return { name: whole.name, whole, changes: checkDeviceChanges(isGiven ? { ...given, enabled } : given) }
}

async function changesOfExisting(
  ctx: TransactionCtx,
  items: readonly Item<Upsert>[],
  { outcomes }: Done,
): Promise<Change[]> {
  const existing = items.filter(({ place }) => !outcomes.has(place))
  const names = existing.map(({ value }) => value.name)
  const ids = await idsByName(ctx, names)
  const locked = await lockDevices(ctx, [...ids.values()], 'change')
  const byName = new Map([...locked.values()].map((device) => [device.name, device]))
  return existing.flatMap(({ place, value }): Change[] => {
    const before = byName.get(value.name)
    if (before) return [{ place, before, values: value.changes }]
    outcomes.set(place, changedMeanwhile())
    return []
  })
}

const changedMeanwhile = () =>
  new AppError('CONFLICT', {
    field: 'name',
    message: 'The device of this name was renamed or deleted at the same time. Try again.',
  })
