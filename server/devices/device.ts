import { recordEvent } from '../audit/audit-event.ts'
import {
  type Caller,
  type Ctx,
  inTransaction,
  inTransactionOn,
  requireAdmin,
  type TransactionCtx,
} from '../caller/ctx.ts'
import { isUniqueViolation } from '../db/errors.ts'
import { forNoKeyUpdate } from '../db/locks.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { AppError, notFound } from '../lib/app-error.ts'
import { badInput, sortKey } from '../lib/check.ts'
import { checkInAt, endsDay, storeEndedDays } from './check-in-days.ts'
import { createDevices } from './create-devices.ts'
import { countGone } from './device-count.ts'
import { checkedInEvent, deletedEvent, updatedEvent } from './device-events.ts'
import {
  checkDeviceChanges,
  checkFirmwareVersion,
  DEVICE_FIELDS,
  type DeviceInput,
  type NewDeviceInput,
} from './device-input.ts'
import { lockDevices, replaceTags } from './device-rows.ts'
import { isBack, notifyOnline } from './online.ts'
import { nameTaken } from './repeated.ts'
import { DEVICE_COLUMNS, type Device } from './stored-device.ts'

/** Adds a device. Its name is unique in the organization. */
export async function createDevice(ctx: Ctx, input: NewDeviceInput): Promise<Device> {
  const [outcome = new AppError('NOT_APPLIED')] = await createDevices(ctx, [input], true)
  if (outcome instanceof AppError) throw outcome
  return outcome
}

/** Changes the given fields and leaves the others; an equal value is no change. */
export function updateDevice(outer: Ctx, id: string, input: DeviceInput): Promise<Device> {
  requireAdmin(outer.caller)
  const values = checkDeviceChanges(input)
  const find = (ctx: TransactionCtx) => lockDevices(ctx, [id], 'change')
  return inTransactionOn(outer, find, async (ctx, found) => {
    const before = found.get(id)
    if (!before) throw new AppError('NOT_FOUND')
    const changed = DEVICE_FIELDS.filter((field) => field in values && values[field] !== before[field])
    if (changed.length === 0) return before
    const set = { ...values, ...(values.name !== undefined && { nameKey: sortKey(values.name) }), updatedAt: ctx.now() }
    const after = { ...before, ...set }
    const update = ctx.db
      .updateTable('device')
      .set(set)
      .where('id', '=', id)
      .where('organizationId', '=', ctx.caller.organizationId)
    if (changed.includes('name') || changed.includes('tags')) {
      await update.execute().catch(orNameTaken)
      await replaceTags(ctx, [after])
    } else await ctx.db.defer(update)
    await recordEvent(ctx, updatedEvent(before, after, changed))
    return after
  })
}

/** Deletes a device for good; its name is free again. */
export function deleteDevice(outer: Ctx, id: string): Promise<string> {
  requireAdmin(outer.caller)
  return inTransaction(outer, async (ctx) => {
    const gone = await ctx.db
      .deleteFrom('device')
      .where('id', '=', id)
      .where('organizationId', '=', ctx.caller.organizationId)
      .returning(DEVICE_COLUMNS)
      .executeTakeFirstOrThrow(notFound)
    await countGone(ctx, 1)
    await recordEvent(ctx, deletedEvent(gone))
    return id
  })
}

/** The device of a check-in that names none: the one that the calling key is bound to. */
export function boundDevice(caller: Caller): string {
  const bound = caller.kind === 'API_KEY' ? caller.rules.deviceId : undefined
  if (bound !== undefined) return bound
  throw badInput('id', 'id: name the device. Only a key that is bound to one device may leave it out.')
}

/** Records that a device is alive; the later of two check-ins stays. Too frequent for the audit log, but for another firmware version. */
export function checkInDevice(
  outer: Ctx,
  id: string,
  input: { firmwareVersion?: string | null | undefined } = {},
): Promise<Device> {
  requireAdmin(outer.caller)
  const firmwareVersion = checkFirmwareVersion(input.firmwareVersion)
  const find = (ctx: TransactionCtx) => (firmwareVersion === null ? lastCheckIn(ctx, id) : lockedCheckIn(ctx, id))
  return inTransactionOn(outer, find, async (ctx, found) => {
    const now = ctx.now()
    // One of two check-ins at once ends the time offline, or the day: which one is clear once the row is locked.
    const isToLock = firmwareVersion === null && (isBack(found, now) || endsDay(found, now))
    const before = isToLock ? await lockedCheckIn(ctx, id) : found
    await storeEndedDays(ctx, [before])
    const seen = ctx.db
      .updateTable('device')
      .set(checkInAt(now))
      .where('id', '=', id)
      .where('organizationId', '=', ctx.caller.organizationId)
    const withVersion = seen.set((eb) => ({
      firmwareVersion,
      updatedAt: eb
        .case()
        .when('firmwareVersion', 'is distinct from', firmwareVersion)
        .then(now)
        .else(eb.ref('updatedAt'))
        .end(),
    }))
    const device = await (firmwareVersion === null ? seen : withVersion).returning(DEVICE_COLUMNS).executeTakeFirst()
    if (!device) throw new AppError('NOT_FOUND')
    const event = firmwareVersion !== null && before && checkedInEvent(before, device)
    if (event) await recordEvent(ctx, event)
    if (before && isBack(before, now)) await notifyOnline(ctx, [{ device, before }])
    return device
  })
}

const checkInOf = (db: Db, { organizationId, id }: { organizationId: string; id: string }) =>
  db
    .selectFrom('device')
    .select(['id', 'firmwareVersion', 'lastSeenAt', 'checkIns', 'firstCheckInAt'])
    .where('id', '=', id)
    .where('organizationId', '=', organizationId)

const preparedCheckIn = prepared(checkInOf)

const lastCheckIn = async ({ db, caller: { organizationId } }: TransactionCtx, id: string) =>
  (await preparedCheckIn(db, { organizationId, id }))[0]

/** The device as it was before a check-in, locked: no other check-in changes it meanwhile. */
const lockedCheckIn = ({ db, caller: { organizationId } }: TransactionCtx, id: string) =>
  forNoKeyUpdate(db, checkInOf(db, { organizationId, id })).executeTakeFirst()

function orNameTaken(error: unknown): never {
  throw isUniqueViolation(error) ? nameTaken() : error
}
