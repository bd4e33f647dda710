import type { Ctx, TransactionCtx } from '../caller/ctx.ts'
import { AppError } from '../lib/app-error.ts'
import { type Done, type Item, type Outcome, recordInOrder, runBulk } from './bulk.ts'
import { insertNew } from './create-devices.ts'
import { checkDeviceChanges, checkNewDevice, type DeviceValues, type NewDeviceInput } from './device-input.ts'
import { idsByName, lockDevices } from './device-rows.ts'
import { oncePerCall } from './repeated.ts'
import { applyChanges, type Change } from './update-devices.ts'

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
