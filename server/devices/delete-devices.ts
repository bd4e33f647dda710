import type { Ctx } from '../caller/ctx.ts'
import { AppError } from '../lib/app-error.ts'
import { type Outcome, recordInOrder, runBulk } from './bulk.ts'
import { countGone } from './device-count.ts'
import { deletedEvent } from './device-events.ts'
import { deleteRows, lockDevices } from './device-rows.ts'
import { oncePerCall } from './repeated.ts'

interface OneDevice {
  id: string
}

/** Deletes many devices for good, and returns each as it was. */
export const deleteDevices = (ctx: Ctx, inputs: readonly OneDevice[], atomic: boolean): Promise<Outcome[]> =>
  runBulk<OneDevice, OneDevice>(ctx, {
    inputs,
    atomic,
    check: oncePerCall('id', (input) => input),
    work: async (ctx, items, { outcomes, events }) => {
      const ids = items.map(({ value }) => value.id)
      const found = await lockDevices(ctx, ids, 'delete')
      for (const { place, value } of items) {
        const device = found.get(value.id)
        outcomes.set(place, device ?? new AppError('NOT_FOUND'))
        if (device) events.set(place, deletedEvent(device))
      }
      await deleteRows(ctx, [...found.keys()])
      if (found.size > 0) await countGone(ctx, found.size)
      await recordInOrder(ctx, events)
    },
  })
