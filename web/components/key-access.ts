import type { KeyOfPage } from '../api/api-key.ts'
import type { KeyAccess } from '../api/key-restrictions.ts'

/** How much a key may do, from the most to the least: its name, and what that is. */
export const ACCESSES: Record<KeyAccess, { name: string; description: string }> = {
  ADMIN: { name: 'Admin', description: 'Everything an Admin can: devices, users, settings and other keys.' },
  READ_ONLY: { name: 'Read only', description: 'Read everything an Admin can, but change nothing.' },
  DEVICES: { name: 'Devices', description: 'Read and change devices only.' },
  CHECK_IN: { name: 'Check-in', description: 'Check in devices, and read a device by its ID.' },
}

export interface Narrowed {
  access: KeyAccess
  deviceId?: string | null
  device?: { name: string } | null
}

/** What a key may do, in a sentence (K6, C10). */
export function whatItMay({ access, deviceId = null, device = null }: Narrowed): string {
  if (access === 'ADMIN') return 'This key can do everything an Admin can.'
  if (access === 'READ_ONLY') return 'This key can read everything an Admin can, but change nothing.'
  if (access === 'DEVICES') return 'This key can only read and change devices.'
  if (device) return `This key can only check in and read device ${device.name}.`
  if (deviceId) return 'This key can only check in a device that has been deleted.'
  return 'This key can only check in devices and read one at a time.'
}

/** What a key may do, on a badge. */
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
    requestsPerSecond !== null && `${requestsPerSecond.toLocaleString()} a second`,
    requestsPerDay !== null && `${requestsPerDay.toLocaleString()} a day`,
  ]
    .filter((words) => words !== false)
    .join(' · ')
}

const SHOWN = 8
const MONTH_DAYS = 30
const DAY_MS = 86_400_000

/** "Used in the last 30 days: devices, checkInDevice" */
export function usedInWords({ usedFields }: KeyOfPage): string {
  if (usedFields.length === 0) return `Not used in the last ${MONTH_DAYS} days.`
  const names = usedFields.slice(0, SHOWN).map(({ field }) => field)
  const more = usedFields.length - names.length
  return `Used in the last ${MONTH_DAYS} days: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

export function suggestionInWords({ access, usedFields, suggestedAccess }: KeyOfPage): string {
  const { access: suggested, since } = suggestedAccess
  if (suggested === null && usedFields.length === 0) return 'Not enough usage yet to suggest an access.'
  if (suggested === null) {
    const days = Math.max(0, Math.floor((Date.now() - Date.parse(since)) / DAY_MS))
    const known = days === 0 ? 'less than a day' : days === 1 ? '1 day' : `${days} days`
    return `Not enough usage yet to suggest an access: it takes 7 days, and calls have been counted for ${known}.`
  }
  if (suggested === access) return 'No narrower access would have been enough.'
  return `${ACCESSES[suggested].name} would have been enough.`
}

type Refused = KeyOfPage['suggestedAccess']['narrower'][number]['refused']

/** "devices (12 calls), users (1 call)" */
export function refusedInWords(refused: Refused): string {
  if (refused.length === 0) return 'Nothing.'
  return refused
    .map(({ field, calls }) => `${field} (${calls === 1 ? '1 call' : `${calls.toLocaleString()} calls`})`)
    .join(', ')
}

/** What a key can no longer do with this access. */
export const LOST: Record<Exclude<KeyAccess, 'ADMIN'>, string> = {
  READ_ONLY: 'It can no longer change anything: no devices, users, settings or keys.',
  DEVICES: 'It can no longer read or change users, settings, the audit log or other keys.',
  CHECK_IN:
    'It can no longer list, add, change or delete devices, and no longer read or change users, settings, the audit log or other keys.',
}
