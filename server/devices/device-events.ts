import { about, type NewEvent } from '../audit/audit-event.ts'
import { changesBetween, createdWith, deletedWith } from '../audit/changed-fields.ts'
import type { DeviceField } from './device-input.ts'
import { auditedDevice, type Device } from './stored-device.ts'

export const createdEvent = (device: Device): NewEvent => ({
  action: 'device.created',
  ...subjectOf(device),
  details: `device ${device.id}`,
  changes: createdWith(auditedDevice(device)),
})

export function updatedEvent(before: Device, after: Device, changed: readonly DeviceField[]): NewEvent {
  const [old, now] = [auditedDevice(before), auditedDevice(after)]
  const was = changed.includes('name') ? `; was ${before.name}` : ''
  return {
    action: 'device.updated',
    ...subjectOf(after),
    details: `changed ${changed.join(', ')}${was}; device ${after.id}`,
    changes: changed.map((field) => ({ field, before: old[field], after: now[field] })),
  }
}

export const deletedEvent = (device: Device): NewEvent => ({
  action: 'device.deleted',
  ...subjectOf(device),
  details: `device ${device.id}`,
  changes: deletedWith(auditedDevice(device)),
})

/** The event about a check-in; undefined: the firmware is the same, and such are too frequent for the log. */
export function checkedInEvent(before: Pick<Device, 'firmwareVersion'>, device: Device): NewEvent | undefined {
  const { firmwareVersion } = device
  const changes = changesBetween({ firmwareVersion: before.firmwareVersion }, { firmwareVersion })
  if (changes.length === 0) return undefined
  const details = `changed firmwareVersion by a check-in; device ${device.id}`
  return { action: 'device.updated', ...subjectOf(device), details, changes }
}

const subjectOf = ({ id, name }: Device) => about('DEVICE', id, name)
