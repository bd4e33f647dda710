import { checkValue } from './check-value.ts'
import { deviceOf, type Field, type ImportedDevice } from './device-fields.ts'
import { FileError, type LineError } from './file-error.ts'
import type { RawDevice } from './reader.ts'

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
    if (rows.length === MAX_DEVICES) throw new FileError(`More than ${MAX_DEVICES} devices. Split the file.`, line)
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
