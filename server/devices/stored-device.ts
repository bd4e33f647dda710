import { type Ctx, requireAdmin } from '../caller/ctx.ts'
import { prepared } from '../db/prepared.ts'
import type { DeviceTable } from '../db/tables.ts'
import { AppError } from '../lib/app-error.ts'
import { inOrderOf } from '../lib/in-order-of.ts'

/** A device as it is stored: tags and location are parsed only when they are requested. */
export type Device = Omit<DeviceTable, 'organizationId'>

export interface Location {
  name: string | null
  address: string | null
  latitude: number | null
  longitude: number | null
  timeZone: string | null
}

export const DEVICE_COLUMNS = [
  'device.id',
  'device.name',
  'device.nameKey',
  'device.description',
  'device.enabled',
  'device.lastSeenAt',
  'device.firmwareVersion',
  'device.tags',
  'device.location',
  'device.createdAt',
  'device.updatedAt',
  'device.checkIns',
  'device.firstCheckInAt',
] as const satisfies `device.${keyof Device}`[]

export type DeviceColumn = (typeof DEVICE_COLUMNS)[number]

const byId = prepared((db, { organizationId, id }: { organizationId: string; id: string }) =>
  db.selectFrom('device').select(DEVICE_COLUMNS).where('id', '=', id).where('organizationId', '=', organizationId),
)

/** The device of the caller's organization; one of another organization does not exist. */
export async function findDevice({ reads, caller }: Ctx, id: string): Promise<Device> {
  const [device] = await byId(reads, { organizationId: caller.organizationId, id })
  if (!device) throw new AppError('NOT_FOUND')
  return device
}

/** The devices with these ids, in their order; null for one that does not exist in the organization. */
export async function devicesByIds({ reads, caller }: Ctx, ids: readonly string[]): Promise<(Device | null)[]> {
  requireAdmin(caller)
  const mine = reads.selectFrom('device').select(DEVICE_COLUMNS).where('organizationId', '=', caller.organizationId)
  return inOrderOf(ids, await mine.where('id', 'in', [...new Set(ids)]).execute())
}

/** A device as the audit log shows it: the fields that somebody sets. */
export const auditedDevice = (device: Device) => ({
  name: device.name,
  description: device.description,
  enabled: device.enabled === 1,
  location: locationOf(device),
  tags: tagsOf(device),
  firmwareVersion: device.firmwareVersion,
})

export const tagsOf = ({ tags }: Pick<Device, 'tags'>) => JSON.parse(tags) as string[] // written only by checkTags

export const locationOf = ({ location }: Pick<Device, 'location'>) =>
  location === null ? null : (JSON.parse(location) as Location) // written only by checkLocation
