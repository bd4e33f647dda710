/** What of a device a file can set, as the portal names it. */
export const FIELDS = [
  'name',
  'description',
  'enabled',
  'tags',
  'firmwareVersion',
  'location.name',
  'location.address',
  'location.latitude',
  'location.longitude',
  'location.timeZone',
] as const

export type Field = (typeof FIELDS)[number]

/** What an exported file has besides: the portal knows it better. */
const READ_ONLY = ['id', 'status', 'lastSeenAt', 'createdAt', 'updatedAt', 'deviceStatus']

/** Other words for the same, as people write them at the top of a column. */
const ALSO: Record<string, Field> = {
  devicename: 'name',
  firmware: 'firmwareVersion',
  location: 'location.name',
  place: 'location.name',
  address: 'location.address',
  latitude: 'location.latitude',
  lat: 'location.latitude',
  longitude: 'location.longitude',
  lon: 'location.longitude',
  lng: 'location.longitude',
  timezone: 'location.timeZone',
  tag: 'tags',
}

/** Without case, blanks and the like: `Firmware version` and `firmware_version` are `firmwareVersion`. */
const bare = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

const BY_NAME = new Map([...FIELDS.map((field) => [bare(field), field] as const), ...Object.entries(ALSO)])
const KNOWN = new Set(READ_ONLY.map(bare))

/** The field that a column stands for. */
export const fieldOf = (heading: string): Field | undefined => BY_NAME.get(bare(heading))

/** Whether it is one of those that the portal sets itself. */
export const isReadOnly = (heading: string): boolean => KNOWN.has(bare(heading))

export interface ImportedLocation {
  name?: string | null
  address?: string | null
  latitude?: number | null
  longitude?: number | null
  timeZone?: string | null
}

/** A device as a file has it. A field that is absent is not in the file, and stays as it is; null clears it. */
export interface ImportedDevice {
  name: string
  description?: string | null
  enabled?: boolean
  tags?: string[]
  firmwareVersion?: string | null
  location?: ImportedLocation
}

/** The device of these values, which have been checked. */
export function deviceOf(values: ReadonlyMap<Field, unknown>): ImportedDevice {
  const device: Record<string, unknown> = {}
  const location: Record<string, unknown> = {}
  for (const [field, value] of values) {
    if (field.startsWith('location.')) location[field.slice('location.'.length)] = value
    else device[field] = value
  }
  if (Object.keys(location).length > 0) device['location'] = location
  return device as unknown as ImportedDevice // check-value.ts has looked at each of them
}
