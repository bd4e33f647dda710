import { type DeviceList, type DeviceSearch, isFiltered, PAGE_SIZE } from '../../api/devices.ts'

/** How many there are, or which page it is. The list itself tells most of it; only all devices are counted. */
export function deviceSummary(list: DeviceList, wanted: DeviceSearch, earlier: string[] | undefined): string {
  if (wanted.after) return earlier ? `Page ${earlier.length + 2}` : ''
  if (!isFiltered(wanted)) return devices(list.totalCount ?? list.data.length)
  if (list.pageInfo.hasNextPage) return `More than ${PAGE_SIZE} devices match`
  return `${devices(list.data.length)} ${list.data.length === 1 ? 'matches' : 'match'}`
}

const devices = (count: number) => `${count.toLocaleString()} ${count === 1 ? 'device' : 'devices'}`
