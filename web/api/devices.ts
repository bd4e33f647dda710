import { queryOptions } from '@tanstack/react-query'
import { ApiError, mutate, request } from './client.ts'
import { graphql, type ResultOf, type VariablesOf } from './graphql.ts'
import { orderBy, type Sort } from './order-by.ts'
import { every } from './polling.ts'

export const PAGE_SIZE = 50
const REFRESH_MS = 10_000
/** How long a count is taken as it is: with a million devices, some filters take seconds. */
const COUNT_FRESH_MS = 60_000

const DEVICES = graphql(`
  query Devices($first: Int!, $after: String, $filter: DeviceFilter, $orderBy: DeviceOrder) {
    devices(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      data { id name enabled status tags location { name } firmwareVersion lastSeenAt createdAt updatedAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export type DeviceList = ResultOf<typeof DEVICES>['devices']
export type ListedDevice = DeviceList['data'][number]
export type DeviceStatus = ListedDevice['status']

/** What the list can be sorted by, and how the API calls it. */
const ORDERS = { name: 'NAME', lastSeen: 'LAST_SEEN_AT', created: 'CREATED_AT', updated: 'UPDATED_AT' } as const

export type DeviceOrderField = keyof typeof ORDERS
export type DeviceSort = Sort<DeviceOrderField>

export type DeviceColumn = 'tags' | 'location' | 'firmware' | 'lastSeen' | 'updated' | 'created'

/** The filter, order, columns and page of the device list, as in the URL. */
export interface DeviceSearch {
  /** A part of the name. */
  search?: string | undefined
  status?: DeviceStatus | undefined
  tags?: string[] | undefined
  enabled?: boolean | undefined
  sort?: DeviceSort | undefined
  /** What is shown of each; undefined: the usual columns. */
  columns?: readonly DeviceColumn[] | undefined
  /** Behind which device the page begins. */
  after?: string | undefined
}

export const isFiltered = ({ search, status, tags, enabled }: DeviceSearch) =>
  Boolean(search || status || tags) || enabled !== undefined

/** The filter and order of the URL as the API wants them. */
export function deviceArguments(wanted: DeviceSearch) {
  const { search = null, status = null, tags = null, enabled = null, sort } = wanted
  return {
    filter: isFiltered(wanted) ? { nameContains: search?.trim() ?? null, status, tags, enabled } : null,
    orderBy: orderBy(ORDERS, sort),
  }
}

/** One page of the devices. */
export const devicesQuery = (slug: string, { columns: _shown, ...wanted }: DeviceSearch) =>
  queryOptions({
    queryKey: ['devices', slug, 'list', wanted],
    queryFn: async () => {
      const { after = null } = wanted
      return (await request(DEVICES, { first: PAGE_SIZE, after, ...deviceArguments(wanted) }, slug)).devices
    },
    refetchInterval: every(REFRESH_MS),
  })

const COUNT = graphql(`
  query CountDevices($filter: DeviceFilter) {
    devices(first: 1, filter: $filter) { totalCount }
  }
`)

/** How many devices match. */
export const countDevices = async (slug: string, wanted: DeviceSearch): Promise<number> =>
  (await request(COUNT, { filter: deviceArguments(wanted).filter }, slug)).devices.totalCount

/** The most that are counted of those that match a filter. */
export const MOST_COUNTED = 10_000

const COUNT_UP_TO = graphql(`
  query CountDevicesUpTo($filter: DeviceFilter!, $most: Int!) {
    devices(first: 1, filter: $filter) { countUpTo(most: $most) }
  }
`)

async function countShown(slug: string, wanted: DeviceSearch): Promise<number> {
  const { filter } = deviceArguments(wanted)
  if (filter === null) return countDevices(slug, wanted)
  return (await request(COUNT_UP_TO, { filter, most: MOST_COUNTED + 1 }, slug)).devices.countUpTo
}

/** How many devices match, for all pages and orders of a list. Apart from the page, which waits for no count. */
export const deviceCountQuery = (slug: string, { search, status, tags, enabled }: DeviceSearch) =>
  queryOptions({
    queryKey: ['devices', slug, 'count', { search: search?.trim(), status, tags, enabled }],
    queryFn: () => countShown(slug, { search, status, tags, enabled }),
    staleTime: COUNT_FRESH_MS,
    refetchInterval: every(COUNT_FRESH_MS),
  })

/** The device of exactly this name; undefined: there is none. */
export async function findDeviceByName(slug: string, name: string): Promise<ListedDevice | undefined> {
  const only = { first: 1, after: null, filter: { names: [name] }, orderBy: null }
  return (await request(DEVICES, only, slug)).devices.data[0]
}

const DEVICE = graphql(`
  query Device($id: ID!) {
    device(id: $id) {
      id name description enabled status tags firmwareVersion lastSeenAt createdAt updatedAt
      location { name address latitude longitude timeZone }
      checkInDays { firstAt checkIns }
    }
  }
`)

export type Device = NonNullable<ResultOf<typeof DEVICE>['device']>

const findDevice = async (slug: string, id: string) => (await request(DEVICE, { id }, slug)).device

/** Null when there is none, or no longer. */
export const deviceQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ['devices', slug, 'one', id],
    queryFn: () => findDevice(slug, id).catch(nullWhenMissing),
    refetchInterval: every(REFRESH_MS),
  })

function nullWhenMissing(error: unknown): null {
  if (error instanceof ApiError && error.code === 'NOT_FOUND') return null
  throw error
}

/** The device as it is when the form opens, and not again while somebody types. */
export const deviceToEditQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ['devices', slug, 'edit', id],
    queryFn: () => findDevice(slug, id),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

const TAGS = graphql(`
  query DeviceTags($search: String) {
    deviceTags(search: $search) { tag devices }
  }
`)

const TAGS_FRESH_MS = 60_000

/** The first tags in use that begin with a text, and how many devices have each. */
export const deviceTagsQuery = (slug: string, search: string) =>
  queryOptions({
    queryKey: ['devices', slug, 'tags', search],
    queryFn: async () => (await request(TAGS, { search }, slug)).deviceTags ?? [],
    staleTime: TAGS_FRESH_MS,
  })

const CREATE = graphql(`
  mutation CreateDevice($input: CreateDeviceInput!) {
    createDevice(input: $input) { id name }
  }
`)

type NewDevice = VariablesOf<typeof CREATE>['input']

export const createDevice = async (slug: string, input: NewDevice) =>
  (await mutate(CREATE, { input }, slug)).createDevice

const UPDATE = graphql(`
  mutation UpdateDevice($id: ID!, $input: UpdateDeviceInput!) {
    updateDevice(id: $id, input: $input) { id name }
  }
`)

export type DeviceChanges = VariablesOf<typeof UPDATE>['input']

export const updateDevice = async (slug: string, id: string, input: DeviceChanges) =>
  (await mutate(UPDATE, { id, input }, slug)).updateDevice

const DELETE = graphql(`
  mutation DeleteDevice($id: ID!) {
    deleteDevice(id: $id)
  }
`)

export const deleteDevice = (slug: string, id: string) => mutate(DELETE, { id }, slug)
