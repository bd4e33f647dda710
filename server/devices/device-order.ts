import type { SortDirection } from '../graphql/list-type.ts'
import { badInput } from '../lib/check.ts'
import { cursorOf, encodeCursor } from '../lib/page.ts'
import type { Device, DeviceColumn } from './stored-device.ts'

export type DeviceOrderField = 'NAME' | 'CREATED_AT' | 'UPDATED_AT' | 'LAST_SEEN_AT'

export interface DeviceOrder {
  field: DeviceOrderField
  direction?: SortDirection | null | undefined
}

type Value = string | number

/** A part of the list whose rows an index has in order: the whole list, but for the last check-in, which may be null. */
export interface Segment {
  /** At the beginning of its cursors, so that none is used in another order. */
  label: string
  /** Equal values are in the order of the next column. The last one is the id. */
  columns: readonly DeviceColumn[]
  types: readonly ('string' | 'number')[]
  direction: 'asc' | 'desc'
  /** Whether it holds the devices that have checked in, or those that never have; undefined: both. */
  isSeen?: boolean
}

export interface Position {
  segment: Segment
  after: readonly Value[]
}

export const isDefault = ({ field, direction }: DeviceOrder) => field === 'NAME' && (direction ?? 'ASC') === 'ASC'

const NAME = ['device.nameKey', 'device.id'] as const
const TEXTS = ['string', 'string'] as const

/** The parts of the list in this order. One that was never seen comes before all that were, as with keys. */
export function segmentsOf({ field, direction }: DeviceOrder): Segment[] {
  const order = { label: `${field} ${direction ?? 'ASC'}`, direction: direction === 'DESC' ? 'desc' : 'asc' } as const
  switch (field) {
    case 'NAME':
      return [{ ...order, columns: NAME, types: TEXTS }]
    case 'CREATED_AT':
      return [{ ...order, columns: ['device.createdAt', 'device.id'], types: ['number', 'string'] }]
    case 'UPDATED_AT':
      return [{ ...order, columns: ['device.updatedAt', 'device.id'], types: ['number', 'string'] }]
    case 'LAST_SEEN_AT': {
      const never: Segment = { ...order, label: `${order.label} NEVER`, columns: NAME, types: TEXTS, isSeen: false }
      const columns = ['device.lastSeenAt', ...NAME] as const
      const seen: Segment = { ...order, columns, types: ['number', ...TEXTS], isSeen: true }
      return direction === 'DESC' ? [seen, never] : [never, seen]
    }
  }
}

/** The cursor of a device. By name it has no label, as when there was no other order. */
export function cursorIn(order: DeviceOrder, device: Device): string {
  if (isDefault(order)) return encodeCursor([device.nameKey, device.id])
  const isSeen = device.lastSeenAt !== null
  const segment = segmentsOf(order).find((each) => each.isSeen === undefined || each.isSeen === isSeen)
  if (!segment) throw new Error('Every device is in a segment.')
  return encodeCursor([segment.label, ...segment.columns.map((column) => sortValue(device, column))])
}

function sortValue(device: Device, column: DeviceColumn): Value {
  const value = device[column.slice('device.'.length) as keyof Device] // the type of slice does not say which
  if (value === null) throw new Error(`${column} has no value to continue from.`)
  return value
}

/** Where a cursor points to. Throws for a cursor of another order. */
export function positionIn(order: DeviceOrder, after: string): Position {
  const found = isDefault(order) ? positionByName(order, after) : positionByLabel(order, after)
  if (found) return found
  throw badInput(
    'after',
    `after: an endCursor of this list${isOfAnyOrder(after) ? ' in the same order: this one is of another orderBy' : ''}.`,
  )
}

function positionByName(order: DeviceOrder, after: string): Position | undefined {
  const [segment] = segmentsOf(order)
  const values = cursorOf(after, TEXTS)
  return segment && values && { segment, after: values }
}

function positionByLabel(order: DeviceOrder, after: string): Position | undefined {
  for (const segment of segmentsOf(order)) {
    const [label, ...values] = cursorOf(after, ['string', ...segment.types]) ?? []
    if (label === segment.label) return { segment, after: values }
  }
  return undefined
}

const ALL: readonly DeviceOrder[] = (['NAME', 'CREATED_AT', 'UPDATED_AT', 'LAST_SEEN_AT'] as const).flatMap((field) =>
  (['ASC', 'DESC'] as const).map((direction) => ({ field, direction })),
)

const isOfAnyOrder = (after: string): boolean =>
  ALL.some((order) => (isDefault(order) ? positionByName : positionByLabel)(order, after) !== undefined)
