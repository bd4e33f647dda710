import type { Ctx } from '../caller/ctx.ts'
import { AppError } from '../lib/app-error.ts'
import { applyChanges, type Change } from './apply-changes.ts'
import { type Outcome, recordInOrder, runBulk } from './bulk.ts'
import { checkDeviceChanges, type DeviceInput, type DeviceValues } from './device-input.ts'
import { lockDevices } from './device-rows.ts'
import { oncePerCall } from './repeated.ts'

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
