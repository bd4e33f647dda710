import { deviceLines, devicesHead } from '../device-csv.ts'
import type { FileRow } from './check-devices.ts'
import { FIELDS } from './device-fields.ts'

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
