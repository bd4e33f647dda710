import type { DeviceOrder, DeviceOrderField } from '../../../server/devices/device-order.ts'
import type { Answer } from './http.ts'
import type { Call } from './people.ts'

/** Every argument of the list of devices. */
export const LIST = `query ($first: Int, $after: String, $search: String, $filter: DeviceFilter, $orderBy: DeviceOrder) {
  devices(first: $first, after: $after, search: $search, filter: $filter, orderBy: $orderBy) {
    data { id name tags createdAt updatedAt lastSeenAt } pageInfo { hasNextPage endCursor } totalCount
  }
}`

export interface Device {
  id: string
  name: string
  tags: string[]
  createdAt: string
  updatedAt: string
  lastSeenAt: string | null
}

interface List {
  data: Device[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
  totalCount: number
}

export const listOf = ({ data }: Answer) => (data as { devices: List }).devices

const FIELDS: DeviceOrderField[] = ['NAME', 'CREATED_AT', 'UPDATED_AT', 'LAST_SEEN_AT']
/** Every order in both directions. */
export const ORDERS = FIELDS.flatMap((field) => (['ASC', 'DESC'] as const).map((direction) => ({ field, direction })))

/** As the API says it: equal values by id, and by last check-in by name first; never seen first. */
export function sorted(devices: Device[], { field, direction }: DeviceOrder): string[] {
  const key = ({ id, name, ...times }: Device): string => {
    if (field === 'NAME') return `${name.toLowerCase()} ${id}`
    if (field === 'LAST_SEEN_AT') return `${times.lastSeenAt ?? ''} ${name.toLowerCase()} ${id}`
    return `${field === 'CREATED_AT' ? times.createdAt : times.updatedAt} ${id}`
  }
  const found = devices.map((device) => [key(device), device.id] as const).sort(([a], [b]) => (a < b ? -1 : 1))
  return (direction === 'DESC' ? found.reverse() : found).map(([, id]) => id)
}

/** The ids of all devices, page by page. */
export async function allPages(call: Call, first: number, args: object): Promise<string[]> {
  const ids: string[] = []
  for (let after: string | null = null; ; ) {
    const { data, pageInfo } = listOf(await call(LIST, { ...args, first, after }))
    ids.push(...data.map(({ id }) => id))
    if (!pageInfo.hasNextPage) return ids
    after = pageInfo.endCursor
  }
}
