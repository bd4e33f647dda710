import type { NewEvent } from '../audit/audit-event.ts'
import type { Ctx } from '../ctx.ts'
import { AppError } from '../lib/app-error.ts'
import { applyChanges, type Change } from './apply-changes.ts'
import { type Item, type Outcome, type Outcomes, recordInOrder, runBulk } from './bulk.ts'
import { insertNew } from './create-devices.ts'
import { checkDeviceChanges, checkNewDevice, type DeviceValues, type NewDeviceInput } from './device-input.ts'
import { idsByName, lockDevices } from './device-rows.ts'
import { oncePerCall } from './repeated.ts'

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
    work: async (ctx, items) => {
      const outcomes: Outcomes = new Map()
      const events = new Map<number, NewEvent>()
      const whole = items.map(({ place, value }) => ({ place, value: value.whole }))
      await insertNew(ctx, whole, outcomes, events)
      await applyChanges(ctx, await changesOfExisting(ctx, items, outcomes), outcomes, events)
      await recordInOrder(ctx, events)
      return outcomes
    },
  })

function checkUpsert(input: NewDeviceInput): Upsert {
  const whole = checkNewDevice(input)
  const { enabled, ...given } = input
  const isGiven = typeof enabled === 'boolean' // neither null nor the default of a new device
  return { name: whole.name, whole, changes: checkDeviceChanges(isGiven ? { ...given, enabled } : given) }
}

async function changesOfExisting(ctx: Ctx, items: readonly Item<Upsert>[], outcomes: Outcomes): Promise<Change[]> {
  const existing = items.filter(({ place }) => !outcomes.has(place))
  const ids = await idsByName(
    ctx,
    existing.map(({ value }) => value.name),
  )
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
