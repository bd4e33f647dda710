import type { NewEvent } from '../audit/audit-event.ts'
import { changesBetween, createdWith, deletedWith } from '../audit/changes.ts'
import type { DeviceField } from './device-input.ts'
import { auditedDevice, type Device } from './stored-device.ts'

/** What the audit log says about a new device. */
export const createdEvent = (device: Device): NewEvent => ({
  action: 'device.created',
  ...subjectOf(device),
  details: `device ${device.id}`,
  changes: createdWith(auditedDevice(device)),
})

/** The same about one that was changed. */
export function updatedEvent(before: Device, after: Device, changed: readonly DeviceField[]): NewEvent {
  const was = changed.includes('name') ? `; was ${before.name}` : ''
  return {
    action: 'device.updated',
    ...subjectOf(after),
    details: `changed ${changed.join(', ')}${was}; device ${after.id}`,
    changes: changesBetween(auditedDevice(before), auditedDevice(after)),
  }
}

/** The same about one that is gone. */
export const deletedEvent = (device: Device): NewEvent => ({
  action: 'device.deleted',
  ...subjectOf(device),
  details: `device ${device.id}`,
  changes: deletedWith(auditedDevice(device)),
})

/** The same about a check-in; undefined: it brought no other firmware version, and such are too frequent for the log. */
export function checkedInEvent(before: Pick<Device, 'firmwareVersion'>, device: Device): NewEvent | undefined {
  const { firmwareVersion } = device
  const changes = changesBetween({ firmwareVersion: before.firmwareVersion }, { firmwareVersion })
  if (changes.length === 0) return undefined
  const details = `changed firmwareVersion by a check-in; device ${device.id}`
  return { action: 'device.updated', ...subjectOf(device), details, changes }
}

const subjectOf = ({ id, name }: Device) => ({ subject: name, subjectType: 'DEVICE', subjectId: id }) as const
