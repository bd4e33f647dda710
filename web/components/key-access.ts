import type { KeyAccess } from '../api/key-access.ts'

/** How much a key may do, from the most to the least: its name, and what that means. */
export const ACCESSES: Record<KeyAccess, { name: string; means: string }> = {
  ADMIN: { name: 'Admin', means: 'Everything an Admin can: devices, users, settings and other keys.' },
  READ_ONLY: { name: 'Read only', means: 'Read everything an Admin can read, and change nothing.' },
  DEVICES: { name: 'Devices', means: 'Read and change devices, and nothing else.' },
  CHECK_IN: { name: 'Check-in', means: 'Check devices in, and read one device by its ID.' },
}

interface Narrowed {
  access: KeyAccess
  deviceId?: string | null
  device?: { name: string } | null
}

/** What a key may do, in a sentence (K6, C10). */
export function whatItMay({ access, deviceId = null, device = null }: Narrowed): string {
  if (access === 'ADMIN') return 'This key can do everything an Admin can.'
  if (access === 'READ_ONLY') return 'This key can read everything an Admin can, and change nothing.'
  if (access === 'DEVICES') return 'This key can only read and change devices.'
  if (device) return `This key can only check in device ${device.name}, and read it.`
  if (deviceId) return 'This key can only check in a device that has been deleted.'
  return 'This key can only check in devices, and read one at a time.'
}

/** The same on a badge. */
export function accessName({ access, deviceId = null, device = null }: Narrowed): string {
  if (access !== 'CHECK_IN' || !deviceId) return ACCESSES[access].name
  return `Check-in: ${device?.name ?? 'deleted device'}`
}

interface Restricted {
  allowedNetworks: readonly string[]
  requestsPerSecond: number | null
  requestsPerDay: number | null
}

/** What else was chosen for the key, in short; empty when nothing was. */
export function restrictionsInWords({ allowedNetworks, requestsPerSecond, requestsPerDay }: Restricted): string {
  return [
    allowedNetworks.length > 0 && `From ${allowedNetworks.join(', ')}`,
    requestsPerSecond !== null && `${requestsPerSecond.toLocaleString('en-US')} a second`,
    requestsPerDay !== null && `${requestsPerDay.toLocaleString('en-US')} a day`,
  ]
    .filter((words) => words !== false)
    .join(' · ')
}
