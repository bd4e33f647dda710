import { expect } from 'vitest'
import type { Call } from './people.ts'
import type { World } from './world.ts'

/** A result of a mutation for many devices. */
export interface ItemResult {
  device: { id: string; name: string; enabled: boolean; updatedAt: string } | null
  error: { code: string; message: string; field: string | null } | null
}

const INPUTS = {
  createDevices: 'CreateDeviceInput',
  updateDevices: 'UpdateDevicesInput',
  upsertDevices: 'CreateDeviceInput',
  deleteDevices: 'DeleteDevicesInput',
  checkInDevices: 'CheckInDevicesInput',
}

export type BulkField = keyof typeof INPUTS
export const BULK_FIELDS = Object.keys(INPUTS) as BulkField[] // the type of Object.keys does not say which

const DEVICE = 'id name description enabled tags firmwareVersion lastSeenAt updatedAt location { name latitude }'

/** A mutation for many devices. */
export const bulkDocument = (field: BulkField) =>
  `mutation ($inputs: [${INPUTS[field]}!]!, $atomic: Boolean) {
    ${field}(inputs: $inputs, atomic: $atomic) { results { device { ${DEVICE} } error { code message field } } }
  }`

/** The results of one that was accepted as a whole. */
export async function bulk(call: Call, field: BulkField, inputs: object[], atomic?: boolean): Promise<ItemResult[]> {
  const { data, errors } = await call(bulkDocument(field), { inputs, atomic })
  expect(errors).toEqual([])
  return (data as Record<string, { results: ItemResult[] }>)[field]?.results ?? []
}

/** For each result the name of the device, or the code and the field of its error. */
export const inShort = (results: ItemResult[]) =>
  results.map(({ device, error }) => device?.name ?? [error?.code, error?.field].filter(Boolean).join(' '))

export const numbered = (count: number, name = 'edge') =>
  Array.from({ length: count }, (_, i) => ({ name: `${name}-${String(i).padStart(4, '0')}` }))

/** The stored devices of an organization by name. */
export const storedDevices = ({ database }: World, organizationId: string) =>
  database.read.selectFrom('device').selectAll().where('organizationId', '=', organizationId).orderBy('name').execute()

/** How many devices are counted for the limit. */
export async function countedDevices({ database }: World, organizationId: string): Promise<number> {
  const counts = database.read.selectFrom('deviceCount').select('devices').where('organizationId', '=', organizationId)
  return (await counts.executeTakeFirst())?.devices ?? 0
}

/** What the audit log says about devices, the oldest first. */
export const deviceEvents = ({ database }: World, organizationId: string) =>
  database.read
    .selectFrom('auditEvent')
    .select(['action', 'subject', 'subjectId', 'details', 'changes', 'actorKind', 'actorId', 'ip'])
    .where('organizationId', '=', organizationId)
    .where('action', 'like', 'device.%')
    .orderBy('id')
    .execute()
