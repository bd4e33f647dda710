import type { Caller, Ctx } from '../caller/ctx.ts'
import { requireBoundDevice } from '../caller/key-rules.ts'
import { AppError } from '../lib/app-error.ts'
import { type Done, type Item, type Outcome, recordInOrder, runBulk } from './bulk.ts'
import { countedIn, storeEndedDays } from './check-in-days.ts'
import { checkedInEvent } from './device-events.ts'
import { checkFirmwareVersion } from './device-input.ts'
import { lockDevices, updateRows } from './device-rows.ts'
import { type Back, isBack, notifyOnline } from './online.ts'
import { oncePerCall } from './repeated.ts'
import type { Device } from './stored-device.ts'

export interface CheckInInput {
  id: string
  firmwareVersion?: string | null | undefined
}

interface CheckIn {
  id: string
  /** Null: it stays as it is. */
  firmwareVersion: string | null
}

/** Records that many devices are alive: as `checkInDevice` for each. */
export const checkInDevices = (ctx: Ctx, inputs: readonly CheckInInput[], atomic: boolean): Promise<Outcome[]> =>
  runBulk<CheckInInput, CheckIn>(ctx, {
    inputs,
    atomic,
    check: oncePerCall('id', checkCheckIn),
    work: async (ctx, items, { outcomes, events }) => {
      const allowed = items.filter((item) => isAllowed(ctx.caller, item, outcomes))
      const ids = allowed.map(({ value }) => value.id)
      const found = await lockDevices(ctx, ids, 'change')
      const [same, other]: [Device[], Device[]] = [[], []]
      const back: Back[] = []
      for (const { place, value } of allowed) {
        const before = found.get(value.id)
        const device = before && checkedIn(before, value, ctx.now())
        outcomes.set(place, device ?? new AppError('NOT_FOUND'))
        if (!device) continue
        if (isBack(before, ctx.now())) back.push({ device, before })
        const event = checkedInEvent(before, device)
        if (event) events.set(place, event)
        ;(event ? other : same).push(device)
      }
      await storeEndedDays(ctx, [...found.values()])
      await updateRows(ctx, same, CHECK_IN_COLUMNS)
      await updateRows(ctx, other, [...CHECK_IN_COLUMNS, 'firmwareVersion', 'updatedAt'])
      await recordInOrder(ctx, events)
      await notifyOnline(ctx, back)
    },
  })

const CHECK_IN_COLUMNS = ['lastSeenAt', 'checkIns', 'firstCheckInAt'] as const

const checkCheckIn = ({ id, firmwareVersion }: CheckInInput): CheckIn => ({
  id,
  firmwareVersion: checkFirmwareVersion(firmwareVersion),
})

/** A key that is bound to one device checks in no other, by its rules as they are in this transaction. */
function isAllowed(caller: Caller, { place, value }: Item<CheckIn>, outcomes: Done['outcomes']): boolean {
  if (caller.kind !== 'API_KEY') return true
  try {
    requireBoundDevice(caller.rules, value.id)
    return true
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    outcomes.set(place, error)
    return false
  }
}

/** The later of two concurrent check-ins stays. */
function checkedIn(before: Device, { firmwareVersion }: CheckIn, now: number): Device {
  const seen = { ...before, ...countedIn(before, now), lastSeenAt: Math.max(before.lastSeenAt ?? now, now) }
  if (firmwareVersion === null || firmwareVersion === before.firmwareVersion) return seen
  return { ...seen, firmwareVersion, updatedAt: now }
}
