import { recordEvent } from '../audit/audit-event.ts'
import { type Caller, type Ctx, inTransaction, inTransactionOn, requireAdmin } from '../ctx.ts'
import { isUniqueViolation } from '../db/errors.ts'
import { forNoKeyUpdate } from '../db/locks.ts'
import { prepared } from '../db/prepared.ts'
import { AppError } from '../lib/app-error.ts'
import { badInput, sortKey } from '../lib/check.ts'
import { newId } from '../lib/id.ts'
import { countGone, countNewDevice } from './device-count.ts'
import { checkedInEvent, createdEvent, deletedEvent, updatedEvent } from './device-events.ts'
import {
  checkDeviceChanges,
  checkFirmwareVersion,
  checkNewDevice,
  DEVICE_FIELDS,
  type DeviceInput,
  type NewDeviceInput,
} from './device-input.ts'
import { insertTags, replaceTags } from './device-rows.ts'
import { type BeforeCheckIn, isBack, tellOnline } from './online.ts'
import { nameTaken } from './repeated.ts'
import { DEVICE_COLUMNS, type Device, findDevice } from './stored-device.ts'

/** Adds a device. Its name is unique in the organization. */
export function createDevice(outer: Ctx, input: NewDeviceInput): Promise<Device> {
  requireAdmin(outer.caller)
  const values = checkNewDevice(input)
  return inTransaction(outer, async (ctx) => {
    const now = ctx.now()
    const device = await ctx.db
      .insertInto('device')
      .values({
        ...values,
        id: newId(now),
        organizationId: ctx.caller.organizationId,
        nameKey: sortKey(values.name),
        lastSeenAt: null,
        createdAt: now,
        updatedAt: now,
      })
      .returning(DEVICE_COLUMNS)
      .executeTakeFirstOrThrow()
      .catch(orNameTaken)
    await countNewDevice(ctx)
    await insertTags(ctx, [device])
    await recordEvent(ctx, createdEvent(device))
    return device
  })
}

/** Changes the given fields and leaves the others; an equal value is no change. */
export function updateDevice(outer: Ctx, id: string, input: DeviceInput): Promise<Device> {
  requireAdmin(outer.caller)
  const values = checkDeviceChanges(input)
  return inTransaction(outer, async (ctx) => {
    const { db, caller } = ctx
    const own = db.selectFrom('device').select('id').where('id', '=', id)
    await forNoKeyUpdate(db, own.where('organizationId', '=', caller.organizationId)).execute()
    const before = await findDevice(ctx, id)
    const changed = DEVICE_FIELDS.filter((field) => field in values && values[field] !== before[field])
    if (changed.length === 0) return before
    const after = await ctx.db
      .updateTable('device')
      .set({
        ...values,
        ...(values.name !== undefined && { nameKey: sortKey(values.name) }),
        updatedAt: ctx.now(),
      })
      .where('id', '=', id)
      .where('organizationId', '=', ctx.caller.organizationId)
      .returning(DEVICE_COLUMNS)
      .executeTakeFirst()
      .catch(orNameTaken)
    if (!after) throw new AppError('NOT_FOUND')
    if (changed.includes('name') || changed.includes('tags')) {
      await replaceTags(ctx, [after])
    }
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
      .executeTakeFirst()
    if (!gone) throw new AppError('NOT_FOUND')
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

/**
 * Records that a device is alive, and its firmware version if given. Of two concurrent check-ins the later one stays.
 * Too frequent for the audit log, except when it brings another firmware version.
 */
export function checkInDevice(
  outer: Ctx,
  id: string,
  input: { firmwareVersion?: string | null | undefined } = {},
): Promise<Device> {
  requireAdmin(outer.caller)
  const firmwareVersion = checkFirmwareVersion(input.firmwareVersion)
  const find = (ctx: Ctx) => (firmwareVersion === null ? lastCheckIn(ctx, id) : lockedCheckIn(ctx, id))
  return inTransactionOn(outer, find, async (ctx, found) => {
    const now = ctx.now()
    // Of two check-ins at once one ends the time offline: which one is clear once the row is locked.
    const before = firmwareVersion === null && isBack(found, now) ? await lockedCheckIn(ctx, id) : found
    const seen = ctx.db
      .updateTable('device')
      .set((eb) => ({
        lastSeenAt: eb.case().when('lastSeenAt', '>', now).then(eb.ref('lastSeenAt')).else(now).end(),
      }))
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
    if (before && isBack(before, now)) await tellOnline(ctx, [{ device, before }])
    return device
  })
}

const checkInOf = prepared((db, { organizationId, id }: { organizationId: string; id: string }) =>
  db
    .selectFrom('device')
    .select(['firmwareVersion', 'lastSeenAt'])
    .where('id', '=', id)
    .where('organizationId', '=', organizationId),
)

/** The device as it was before a check-in. */
async function lastCheckIn({ db, caller: { organizationId } }: Ctx, id: string): Promise<BeforeCheckIn | undefined> {
  const [before] = await checkInOf(db, { organizationId, id })
  return before
}

/** The same, and no other check-in changes it meanwhile. */
const lockedCheckIn = ({ db, caller }: Ctx, id: string): Promise<BeforeCheckIn | undefined> =>
  forNoKeyUpdate(
    db,
    db
      .selectFrom('device')
      .select(['firmwareVersion', 'lastSeenAt'])
      .where('id', '=', id)
      .where('organizationId', '=', caller.organizationId),
  ).executeTakeFirst()

function orNameTaken(error: unknown): never {
  throw isUniqueViolation(error) ? nameTaken() : error
}
