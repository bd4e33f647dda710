import type { DeviceColumn, DeviceOrderField, DeviceSearch } from '../../api/devices.ts'

/** What the list can show beside the name and the status of a device, in this order. */
export const COLUMNS: Record<DeviceColumn, { name: string; sort?: DeviceOrderField }> = {
  tags: { name: 'Tags' },
  location: { name: 'Location' },
  firmware: { name: 'Firmware' },
  lastSeen: { name: 'Last seen', sort: 'lastSeen' },
  updated: { name: 'Updated', sort: 'updated' },
  created: { name: 'Added', sort: 'created' },
}

export const ALL_COLUMNS = Object.keys(COLUMNS) as DeviceColumn[]
const USUAL: readonly DeviceColumn[] = ['tags', 'location', 'lastSeen']

export const columnsOf = ({ columns }: DeviceSearch): readonly DeviceColumn[] => columns ?? USUAL

/** In their order; undefined for none, and for the usual ones, which an address need not name. */
export function knownColumns(given: unknown): readonly DeviceColumn[] | undefined {
  const wanted: unknown[] = Array.isArray(given) ? given : [given]
  const known = ALL_COLUMNS.filter((column) => wanted.includes(column))
  return known.length === 0 || known.join() === USUAL.join() ? undefined : known
}
