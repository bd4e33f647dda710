import type { Ctx, TransactionCtx } from '../caller/ctx.ts'
import { AppError } from '../lib/app-error.ts'
import { sortKey } from '../lib/check.ts'
import { type Done, type Outcome, recordInOrder, runBulk } from './bulk.ts'
import { updatedEvent } from './device-events.ts'
import {
  checkDeviceChanges,
  DEVICE_FIELDS,
  type DeviceField,
  type DeviceInput,
  type DeviceValues,
} from './device-input.ts'
import { idsByName, lockDevices, replaceTags, updateRows } from './device-rows.ts'
import { nameTaken, oncePerCall } from './repeated.ts'
import type { Device } from './stored-device.ts'

export type DeviceChanges = DeviceInput & { id: string }

/** Changes many devices: as `updateDevice` for each. */
export const updateDevices = (ctx: Ctx, inputs: readonly DeviceChanges[], atomic: boolean): Promise<Outcome[]> =>
  runBulk<DeviceChanges, { id: string; values: Partial<DeviceValues> }>(ctx, {
    inputs,
    atomic,
    check: oncePerCall('id', ({ id, ...input }) => ({ id, values: checkDeviceChanges(input) })),
    work: async (ctx, items, done) => {
      const ids = items.map(({ value }) => value.id)
      const found = await lockDevices(ctx, ids, 'change')
      const changes: Change[] = []
      for (const { place, value } of items) {
        const before = found.get(value.id)
        if (before) changes.push({ place, before, values: value.values })
        else done.outcomes.set(place, new AppError('NOT_FOUND'))
      }
      await applyChanges(ctx, changes, done)
      await recordInOrder(ctx, done.events)
    },
  })

/** A change of one device, whose row is locked. */
export interface Change {
  place: number
  before: Device
  values: Partial<DeviceValues>
}

interface Changed {
  place: number
  before: Device
  after: Device
  fields: DeviceField[]
}

/** Changes devices as if one after the other, and says what became of each; an equal value is no change. */
export async function applyChanges(
  ctx: TransactionCtx,
  changes: readonly Change[],
  { outcomes, events }: Done,
): Promise<void> {
  const wanted = changes.map((change) => changedDevice(ctx, change))
  const taken = await takenNames(ctx, wanted)
  const changed = wanted.filter(({ place, fields }) => fields.length > 0 && !taken.has(place))
  await write(ctx, changed)
  const retagged = changed.filter(({ fields }) => fields.includes('name') || fields.includes('tags'))
  await replaceTags(ctx, retagged.map(afterOf))
  for (const { place, after } of wanted) outcomes.set(place, taken.has(place) ? nameTaken() : after)
  for (const { place, before, after, fields } of changed) events.set(place, updatedEvent(before, after, fields))
}

function changedDevice(ctx: Ctx, { place, before, values }: Change): Changed {
  const fields = DEVICE_FIELDS.filter((field) => field in values && values[field] !== before[field])
  if (fields.length === 0) return { place, before, after: before, fields }
  const after = { ...before, ...values, updatedAt: ctx.now() }
  return { place, before, after: { ...after, nameKey: sortKey(after.name) }, fields }
}

const afterOf = ({ after }: Changed) => after

const isRenamed = ({ fields }: Changed) => fields.includes('name')

/** The places of those that cannot be renamed. A device that was renamed before has freed its name. */
async function takenNames(ctx: Ctx, wanted: readonly Changed[]): Promise<Set<number>> {
  const renamed = wanted.filter(isRenamed)
  const names = renamed.map(({ after }) => after.name)
  const owners = await idsByName(ctx, names)
  const taken = new Set<number>()
  for (const { place, before, after } of renamed) {
    if (owners.has(after.name)) taken.add(place)
    else {
      owners.delete(before.name)
      owners.set(after.name, after.id)
    }
  }
  return taken
}

/** At once, unless a device gets the name of another one: then in their order, so that no name is there twice. */
async function write(ctx: TransactionCtx, changed: readonly Changed[]): Promise<void> {
  const freed = new Set(changed.filter(isRenamed).map(({ before }) => before.name))
  const isAfterAnother = (each: Changed) => isRenamed(each) && freed.has(each.after.name)
  const columns = columnsOf(changed)
  const parts = changed.some(isAfterAnother) ? changed.map((each) => [each]) : [changed]
  for (const part of parts) await updateRows(ctx, part.map(afterOf), columns)
}

function columnsOf(changed: readonly Changed[]): (keyof Device)[] {
  const fields = DEVICE_FIELDS.filter((field) => changed.some((each) => each.fields.includes(field)))
  return [...fields, ...(fields.includes('name') ? (['nameKey'] as const) : []), 'updatedAt']
}
