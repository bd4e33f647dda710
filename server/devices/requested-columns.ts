import type { RequestedFields } from '../graphql/requested-fields.ts'
import type { DeviceOrderField } from './device-order.ts'
import { DEVICE_COLUMNS, type DeviceColumn } from './stored-device.ts'

const CURSOR: DeviceColumn[] = ['device.nameKey', 'device.id']
const SOURCE_COLUMN: Readonly<Record<string, DeviceColumn | undefined>> = {
  status: 'device.lastSeenAt',
  __typename: 'device.id',
}

const known = new WeakMap<RequestedFields, readonly DeviceColumn[]>()
const selections = new Map<string, readonly DeviceColumn[]>()

/**
 * The columns that have to be read for the requested fields; all of them for a field that does not come from one
 * column. Returns the same list for the same columns.
 */
export function columnsFor(
  requested: RequestedFields | undefined,
  order: DeviceOrderField = 'NAME',
): readonly DeviceColumn[] {
  if (!requested || order !== 'NAME') return DEVICE_COLUMNS // another order has other columns in its cursor
  const before = known.get(requested)
  if (before) return before
  const needed = new Set([...requested.items.map(columnOf), ...(requested.pageInfo ? CURSOR : [])])
  const columns = needed.has(undefined)
    ? DEVICE_COLUMNS
    : DEVICE_COLUMNS.filter((column) => column === 'device.id' || needed.has(column))
  const selection = selections.get(columns.join()) ?? columns
  selections.set(columns.join(), selection)
  known.set(requested, selection)
  return selection
}

const columnOf = (field: string): DeviceColumn | undefined =>
  SOURCE_COLUMN[field] ?? DEVICE_COLUMNS.find((column) => column === `device.${field}`)
