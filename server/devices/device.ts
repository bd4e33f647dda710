import { recordEvent } from '../audit/audit-event.ts'
import { changesBetween, createdWith, deletedWith } from '../audit/changes.ts'
import { type Ctx, inTransaction, inTransactionOn, requireAdmin } from '../ctx.ts'
import { isUniqueViolation } from '../db/errors.ts'
import { forNoKeyUpdate } from '../db/locks.ts'
import { AppError } from '../lib/app-error.ts'
import { sortKey } from '../lib/check.ts'
import { newId } from '../lib/id.ts'
import { countGoneDevice, countNewDevice } from './device-count.ts'
import {
  checkDeviceChanges,
  checkFirmwareVersion,
  checkNewDevice,
  DEVICE_FIELDS,
  type DeviceInput,
} from './device-input.ts'
import { auditedDevice, DEVICE_COLUMNS, type Device, findDevice, tagsOf } from './stored-device.ts'

/** Adds a device. Its name is unique in the organization. */
export function createDevice(outer: Ctx, input: DeviceInput & { name: string }): Promise<Device> {
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
      .catch(nameTaken)
    await countNewDevice(ctx)
    await insertTags(ctx, device)
    await recordEvent(ctx, {
      action: 'device.created',
      ...subjectOf(device),
      details: `device ${device.id}`,
      changes: createdWith(auditedDevice(device)),
    })
    return device
  })
}

/** Changes the given fields and leaves the others; an equal value is no change. */
export function updateDevice(outer: Ctx, id: string, input: DeviceInput): Promise<Device> {
  requireAdmin(outer.caller)
  const values = checkDeviceChanges(input)
  return inTransaction(outer, async (ctx) => {
    await forNoKeyUpdate(ctx.db, ctx.db.selectFrom('device').select('id').where('id', '=', id)).execute()
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
      .catch(nameTaken)
    if (!after) throw new AppError('NOT_FOUND')
    if (changed.includes('name') || changed.includes('tags')) {
      await ctx.db.deleteFrom('deviceTag').where('deviceId', '=', id).execute()
      await insertTags(ctx, after)
    }
    const was = changed.includes('name') ? `; was ${before.name}` : ''
    const details = `changed ${changed.join(', ')}${was}; device ${id}`
    const changes = changesBetween(auditedDevice(before), auditedDevice(after))
    await recordEvent(ctx, { action: 'device.updated', ...subjectOf(after), details, changes })
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
    await countGoneDevice(ctx)
    await recordEvent(ctx, {
      action: 'device.deleted',
      ...subjectOf(gone),
      details: `device ${id}`,
      changes: deletedWith(auditedDevice(gone)),
    })
    return id
  })
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
  const find = (ctx: Ctx) => (firmwareVersion === null ? Promise.resolve(undefined) : lockedVersion(ctx, id))
  return inTransactionOn(outer, find, async (ctx, before) => {
    const now = ctx.now()
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
    const changes = before === undefined ? [] : changesBetween(before, { firmwareVersion })
    const details = `changed firmwareVersion by a check-in; device ${id}`
    if (changes.length > 0) await recordEvent(ctx, { action: 'device.updated', ...subjectOf(device), details, changes })
    return device
  })
}

const subjectOf = ({ id, name }: Device) => ({ subject: name, subjectType: 'DEVICE', subjectId: id }) as const

/** The firmware version before a check-in, which no other check-in changes meanwhile. */
const lockedVersion = ({ db, caller }: Ctx, id: string) =>
  forNoKeyUpdate(
    db,
    db
      .selectFrom('device')
      .select('firmwareVersion')
      .where('id', '=', id)
      .where('organizationId', '=', caller.organizationId),
  ).executeTakeFirst()

/** The rows that the list filters by; they are deleted with the device. */
async function insertTags({ db, caller }: Ctx, device: Device): Promise<void> {
  const tags = tagsOf(device)
  if (tags.length === 0) return
  const { organizationId } = caller
  const { id: deviceId, nameKey } = device
  await db
    .insertInto('deviceTag')
    .values(tags.map((tag) => ({ organizationId, tag, nameKey, deviceId })))
    .execute()
}

function nameTaken(error: unknown): never {
  if (!isUniqueViolation(error)) throw error
  throw new AppError('CONFLICT', { field: 'name', message: 'The organization has a device of this name already.' })
}
