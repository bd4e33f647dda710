import type { WholeDevice } from '../../api/bulk-devices.ts'
import { csvHead, csvLine } from '../../ui/csv-line.ts'
import type { FileRow } from './import/check-devices.ts'
import { FIELDS, type ImportedDevice } from './import/device-fields.ts'

type Cell = string | number | null

/** A device of the portal or of a file. */
type SomeDevice = ImportedDevice | WholeDevice

/** The columns of an exported file: those that an import sets first, then what the portal knows. */
export const EXPORTED = [...FIELDS, 'status', 'lastSeenAt', 'createdAt', 'updatedAt', 'id'] as const

/** The head of a file with these columns. */
export const devicesHead = (columns: readonly string[]) => csvHead(columns)

/** The lines of these devices. */
export const deviceLines = (devices: readonly SomeDevice[], columns: readonly string[]) =>
  devices.map((device) => csvLine(columns.map((column) => cellOf(device, column)))).join('')

function cellOf(device: SomeDevice, column: string): Cell {
  const [outer = '', inner] = column.split('.')
  const value = (device as unknown as Record<string, unknown>)[outer] // by the names of its own fields
  if (inner !== undefined) return plain((value as Record<string, unknown> | null | undefined)?.[inner])
  return Array.isArray(value) ? tagsCell(value) : plain(value)
}

const plain = (value: unknown): Cell =>
  typeof value === 'string' || typeof value === 'number' ? value : typeof value === 'boolean' ? String(value) : null

/** Separated by semicolons; as JSON if a tag has something inside that could be taken for the end of it. */
const tagsCell = (tags: readonly string[]) =>
  tags.some((tag) => /[,;]|^\[|^\s|\s$/.test(tag)) ? JSON.stringify(tags) : tags.join(';')

/** Lines that are not imported as a file that can be: with the columns that the file had, and no others. */
export function restFile(rows: readonly FileRow[], format: 'csv' | 'json'): Blob {
  const devices = rows.map(({ device }) => device)
  if (format === 'json') return new Blob([JSON.stringify(devices, null, 2), '\n'], { type: 'application/json' })
  const columns = FIELDS.filter((field) => {
    const [outer = '', inner] = field.split('.')
    return devices.some((device) => {
      const value = Reflect.get(device, outer)
      return inner === undefined ? value !== undefined : value?.[inner] !== undefined
    })
  })
  return new Blob([devicesHead(columns), deviceLines(devices, columns)], { type: 'text/csv;charset=utf-8' })
}
