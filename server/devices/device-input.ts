import { LRUCache } from 'lru-cache'
import type { Flag } from '../db/tables.ts'
import { badInput, checkAll, checkAnyText, checkName, checkText } from '../lib/check.ts'
import type { Device, Location } from './stored-device.ts'

export const MAX_DESCRIPTION = 1000
export const MAX_TAGS = 20
export const MAX_TAG = 40
export const MAX_PLACE = 200

type Given<Value> = Value | null | undefined

export interface LocationInput {
  name?: Given<string>
  address?: Given<string>
  latitude?: Given<number>
  longitude?: Given<number>
  timeZone?: Given<string>
}

/** The fields of a device that a person or a script sets. Absent leaves a field as it is, null clears it. */
export interface DeviceInput {
  name?: Given<string>
  description?: Given<string>
  enabled?: Given<boolean>
  location?: Given<LocationInput>
  tags?: Given<readonly string[]>
  firmwareVersion?: Given<string>
}

export type NewDeviceInput = DeviceInput & { name: string }

export const DEVICE_FIELDS = [
  'name',
  'description',
  'enabled',
  'location',
  'tags',
  'firmwareVersion',
] as const satisfies (keyof DeviceInput)[]

export type DeviceField = (typeof DEVICE_FIELDS)[number]

export type DeviceValues = Pick<Device, DeviceField>

/** A whole device: absent fields are empty, and it is enabled by default. */
export function checkNewDevice(input: NewDeviceInput): DeviceValues {
  return checkAll({
    name: () => checkName('name', input.name),
    description: () => checkDescription(input.description),
    enabled: () => flag(input.enabled ?? true),
    location: () => checkLocation(input.location),
    tags: () => JSON.stringify(checkTags('tags', input.tags)),
    firmwareVersion: () => checkFirmwareVersion(input.firmwareVersion),
  })
}

/** Only what changes. Name and enabled cannot be cleared. */
export function checkDeviceChanges(input: DeviceInput): Partial<DeviceValues> {
  const { name, description, enabled, location, tags, firmwareVersion } = input
  return checkAll<Partial<DeviceValues>>({
    ...(name !== undefined && { name: () => checkName('name', given('name', name, 'cannot be cleared')) }),
    ...(description !== undefined && { description: () => checkDescription(description) }),
    ...(enabled !== undefined && { enabled: () => flag(given('enabled', enabled, 'true or false')) }),
    ...(location !== undefined && { location: () => checkLocation(location) }),
    ...(tags !== undefined && { tags: () => JSON.stringify(checkTags('tags', tags)) }),
    ...(firmwareVersion !== undefined && { firmwareVersion: () => checkFirmwareVersion(firmwareVersion) }),
  })
}

function given<Value>(field: string, value: Value | null, otherwise: string): Value {
  if (value === null) throw badInput(field, `${field}: ${otherwise}.`)
  return value
}

function checkTags(field: string, tags: Given<readonly string[]>): string[] {
  const list = (tags ?? []).map((tag) => checkText(field, tag, { max: MAX_TAG }))
  if (list.length > MAX_TAGS) throw badInput(field, `${field}: at most ${MAX_TAGS}.`)
  if (new Set(list).size < list.length) throw badInput(field, `${field}: each tag once.`)
  return list
}

/** Tags to search for, each once. */
export function checkWantedTags(field: string, tags: Given<readonly string[]>): string[] {
  const unique = new Set((tags ?? []).map((tag) => checkAnyText(field, tag, { min: 1, max: MAX_TAG })))
  if (unique.size > MAX_TAGS) throw badInput(field, `${field}: at most ${MAX_TAGS}.`)
  return [...unique]
}

export const checkFirmwareVersion = (version: Given<string>): string | null =>
  version == null ? null : checkText('firmwareVersion', version)

function checkDescription(description: Given<string>): string | null {
  if (description == null) return null
  if (description.includes('\r')) throw badInput('description', 'description: line breaks are \\n alone, without \\r.')
  checkText('description', description.replace(/[\n\t]/g, ' '), { max: MAX_DESCRIPTION })
  return description
}

/** A non-empty location, as JSON with its keys in a fixed order, so that equal locations are equal text. */
function checkLocation(input: Given<LocationInput>): string | null {
  const location = checkAll<Location>({
    name: () => checkPlace('location.name', input?.name),
    address: () => checkPlace('location.address', input?.address),
    latitude: () => checkDegrees('location.latitude', input?.latitude, 90),
    longitude: () => checkDegrees('location.longitude', input?.longitude, 180),
    timeZone: () => checkTimeZone('location.timeZone', input?.timeZone),
  })
  return Object.values(location).some((value) => value !== null) ? JSON.stringify(location) : null
}

const checkPlace = (field: string, text: Given<string>): string | null =>
  text == null ? null : checkText(field, text, { max: MAX_PLACE })

function checkDegrees(field: string, degrees: Given<number>, max: number): number | null {
  if (degrees == null) return null
  if (!(Math.abs(degrees) <= max)) throw badInput(field, `${field}: ${-max} to ${max} degrees.`)
  return degrees
}

/** Asking for one takes a tenth of a millisecond. */
const timeZones = new LRUCache<string, string>({ max: 1000 })

function checkTimeZone(field: string, timeZone: Given<string>): string | null {
  if (timeZone == null || timeZones.has(timeZone)) return timeZone ?? null
  try {
    new Intl.DateTimeFormat('en', { timeZone })
  } catch {
    throw badInput(field, `${field}: the name of a time zone, such as Europe/Berlin.`)
  }
  timeZones.set(timeZone, timeZone)
  return timeZone
}

const flag = (value: boolean): Flag => (value ? 1 : 0)
