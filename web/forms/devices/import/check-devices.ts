import { MAX_NAME, MAX_TAG, MAX_TAGS } from '../../../limits.ts'
import { deviceOf, type Field, type ImportedDevice } from './device-fields.ts'
import { FileError, type LineError, type RawDevice } from './reader.ts'

const MAX_DEVICES = 200_000
/** More are counted, not kept: nobody reads them, and the file is refused all the same. */
const MAX_ERRORS = 1_000

export interface FileRow {
  line: number
  device: ImportedDevice
}

/** Checks each device of a file, and that no name is there twice. */
export function createChecker() {
  const rows: FileRow[] = []
  const errors: LineError[] = []
  const lineOf = new Map<string, number>()
  let errorCount = 0

  function refuse(line: number, message: string, field?: Field): void {
    errorCount++
    if (errors.length < MAX_ERRORS) errors.push({ line, message, ...(field && { field }) })
  }

  function check({ line, values, error }: RawDevice): void {
    const before = errorCount
    if (error) refuse(line, error)
    for (const [field, value] of values) {
      const message = error ? undefined : checkValue(field, value)
      if (message) refuse(line, message, field)
    }
    if (errorCount === before)
      add(line, deviceOf(new Map(Array.from(values, ([field, value]) => [field, tidied(value)]))))
  }

  function add(line: number, device: ImportedDevice): void {
    const first = lineOf.get(device.name)
    if (first !== undefined) {
      refuse(line, `Line ${first} has the same name.`, 'name')
      return
    }
    lineOf.set(device.name, line)
    if (rows.length === MAX_DEVICES)
      throw new FileError(`More than ${MAX_DEVICES.toLocaleString()} devices. Split the file.`, line)
    rows.push({ line, device })
  }

  return {
    add: (devices: RawDevice[]) => devices.forEach(check),
    found: () => ({ rows, errors, errorCount }),
  }
}

/** As the portal accepts it: it stores what it is given, or refuses it. An empty text is none. */
export function tidied(value: unknown): unknown {
  if (Array.isArray(value)) return [...new Set(value.map(clean))]
  return typeof value === 'string' ? clean(value.replaceAll('\r\n', '\n')) || null : value
}

const clean = (text: string) => text.trim().normalize('NFC')

const MAX_DESCRIPTION = 1_000
const MAX_PLACE = 200

type Check = (value: unknown) => string | undefined

/** What is wrong with the value of a field; undefined: nothing that can be seen from here. The portal has the last word. */
export const checkValue = (field: Field, value: unknown): string | undefined => CHECKS[field](value)

const text =
  (min: number, max: number): Check =>
  (value) => {
    if (value === null && min === 0) return undefined
    if (typeof value !== 'string') return 'This must be text.'
    if (MANY_MARKS.test(value)) return 'At most 30 combining marks in a row.' // before they are sorted for a normal form
    const clean = value.trim().normalize('NFC')
    const length = [...clean].length
    if (length < min || length > max)
      return `${min === 0 ? 'At most' : `${min} to`} ${max.toLocaleString()} characters.`
    if (SECRET.test(clean)) return 'This looks like a secret. Keep secrets out of names.'
    return ORDINARY.test(clean) ? undefined : unusual(clean)
  }

/** A secret of the portal: of a key, a session, an invitation, a link in an email, a webhook. */
const SECRET =
  /(?<![0-9A-Za-z])em[psirv](?:_|%5[Ff])[0-9A-Za-z]{20,}|em[psirv](?:_|%5[Ff])[0-9A-Za-z]{43,}|whsec(?:_|%5[Ff])(?:[0-9A-Za-z+/=]|%2[BbFf]|%3[Dd]){16,}/
const MANY_MARKS = /[\p{M}\uff9e\uff9f]{31}/u
/** Almost every text: nothing more to look at. */
const ORDINARY = /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u024f]*$/
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
const INVISIBLE = /(?![\u200c\u200d])[\p{Cf}\u{e0000}-\u{e007f}]/u
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{Z}\p{Cc}\p{Cf}\u2800]/u

function unusual(value: string): string | undefined {
  if (!value.isWellFormed()) return 'This is not valid text.'
  if (CONTROL.test(value)) return 'Remove the control characters.'
  if (INVISIBLE.test(value)) return 'Remove the invisible characters.'
  return VISIBLE.test(value) ? undefined : 'At least one visible character.'
}

const lines: Check = (value) =>
  text(0, MAX_DESCRIPTION)(typeof value === 'string' ? value.replace(/\r\n|[\n\t]/g, ' ') : value)

const degrees =
  (max: number): Check =>
  (value) => {
    if (value === null) return undefined
    if (typeof value !== 'number' || !Number.isFinite(value)) return 'This must be a number of degrees, such as 52.52.'
    return Math.abs(value) > max ? `${-max} to ${max} degrees.` : undefined
  }

const tags: Check = (value) => {
  if (!Array.isArray(value)) return 'This must be a list of tags.'
  const wrong = value.map(text(1, MAX_TAG)).find(Boolean)
  if (wrong) return `Each tag: ${wrong}`
  return new Set(value).size > MAX_TAGS ? `At most ${MAX_TAGS} tags.` : undefined
}

const enabled: Check = (value) => (typeof value === 'boolean' ? undefined : 'Write true or false.')

const zones = new Map<string, boolean>()

/** Asked once for each name: the browser takes its time. */
function isTimeZone(name: string): boolean {
  let isKnown = zones.get(name)
  if (isKnown === undefined) {
    try {
      new Intl.DateTimeFormat(undefined, { timeZone: name })
      isKnown = true
    } catch {
      isKnown = false
    }
    zones.set(name, isKnown)
  }
  return isKnown
}

const timeZone: Check = (value) => {
  if (value === null || value === '') return undefined
  return typeof value === 'string' && isTimeZone(value)
    ? undefined
    : 'This must be the name of a time zone, such as Europe/Berlin.'
}

const name: Check = (value) => (value === null || value === '' ? 'A device needs a name.' : text(1, MAX_NAME)(value))

const CHECKS: Record<Field, Check> = {
  name,
  description: lines,
  enabled,
  tags,
  firmwareVersion: text(0, MAX_NAME),
  'location.name': text(0, MAX_PLACE),
  'location.address': text(0, MAX_PLACE),
  'location.latitude': degrees(90),
  'location.longitude': degrees(180),
  'location.timeZone': timeZone,
}
