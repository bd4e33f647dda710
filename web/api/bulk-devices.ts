import { ApiError, isPassing, mutate, request } from './client.ts'
import { countDevices, type DeviceSearch, deviceArguments } from './devices.ts'
import { graphql, type ResultOf, type VariablesOf } from './graphql.ts'

/** The most devices in one call, and on one page. */
export const MAX_ITEMS = 500

const ALL = graphql(`
  query AllDevices($first: Int!, $after: String, $filter: DeviceFilter, $orderBy: DeviceOrder) {
    devices(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      data {
        id name description enabled tags firmwareVersion status lastSeenAt createdAt updatedAt
        location { name address latitude longitude timeZone }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export type WholeDevice = ResultOf<typeof ALL>['devices']['data'][number]

const NAMED = graphql(`
  query NamedDevices($first: Int!, $after: String, $filter: DeviceFilter) {
    devices(first: $first, after: $after, filter: $filter) {
      data { id name tags }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export type NamedDevice = ResultOf<typeof NAMED>['devices']['data'][number]

/** Every device that matches, whole, page by page. */
export const allDevices = (slug: string, wanted: DeviceSearch, signal: AbortSignal): AsyncGenerator<WholeDevice[]> =>
  pages((page) => request(ALL, { ...deviceArguments(wanted), ...page }, slug), signal)

/** The devices with these names, whole. All are read where the organization has no more devices than there are names. */
export async function* devicesByName(
  slug: string,
  names: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<WholeDevice[]> {
  if (names.length > MAX_ITEMS && (await countDevices(slug, {})) <= names.length) {
    yield* allDevices(slug, {}, signal)
    return
  }
  for (let at = 0; at < names.length; at += MAX_ITEMS) {
    const filter = { names: names.slice(at, at + MAX_ITEMS) }
    const ask = () => request(ALL, { filter, first: MAX_ITEMS, after: null, orderBy: null }, slug)
    yield (await patiently(ask, { repeatable: true, signal })).devices.data
  }
}

/** Every device that matches, with what is needed to select it. */
export const namedDevices = (slug: string, wanted: DeviceSearch, signal: AbortSignal): AsyncGenerator<NamedDevice[]> =>
  pages((page) => request(NAMED, { filter: deviceArguments(wanted).filter, ...page }, slug), signal)

/** The devices with these ids that are still there, with their tags of now; at most `MAX_ITEMS`. */
export const devicesById = async (slug: string, ids: string[], signal: AbortSignal): Promise<NamedDevice[]> => {
  const ask = () => request(NAMED, { filter: { ids }, first: MAX_ITEMS, after: null }, slug)
  return (await patiently(ask, { repeatable: true, signal })).devices.data
}

interface PageArguments {
  first: number
  after: string | null
}

interface OnePage<Item> {
  devices: { data: Item[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } }
}

async function* pages<Item>(ask: (page: PageArguments) => Promise<OnePage<Item>>, signal: AbortSignal) {
  const askFor = (after: string | null): Promise<OnePage<Item>> =>
    patiently(() => ask({ first: MAX_ITEMS, after }), { repeatable: true, signal })
  for (let after: string | null = null, more = true; more; ) {
    const { devices } = await askFor(after)
    yield devices.data
    after = devices.pageInfo.endCursor
    more = devices.pageInfo.hasNextPage
  }
}

const CREATE = graphql(`
  mutation CreateDevices($inputs: [CreateDeviceInput!]!) {
    createDevices(inputs: $inputs) { results { errors { code message field } } }
  }
`)

const UPSERT = graphql(`
  mutation UpsertDevices($inputs: [CreateDeviceInput!]!) {
    upsertDevices(inputs: $inputs) { results { errors { code message field } } }
  }
`)

const UPDATE = graphql(`
  mutation UpdateDevices($inputs: [UpdateDevicesInput!]!) {
    updateDevices(inputs: $inputs, atomic: false) { results { errors { code message field } } }
  }
`)

const DELETE = graphql(`
  mutation DeleteDevices($inputs: [DeleteDevicesInput!]!) {
    deleteDevices(inputs: $inputs, atomic: false) { results { errors { code message field } } }
  }
`)

export type DeviceToWrite = VariablesOf<typeof UPSERT>['inputs'][number]
export type DeviceChange = VariablesOf<typeof UPDATE>['inputs'][number]

interface Refusal {
  code: string
  message: string
  field: string | null
}

/** Everything that is wrong with each of the inputs, in their order; nothing: it was done. */
export type Refusals = Refusal[][]

/** Adds devices: all of them, or none. */
export const createDevices = async (slug: string, inputs: DeviceToWrite[], signal: AbortSignal): Promise<Refusals> =>
  refusals((await once(() => mutate(CREATE, { inputs }, slug), signal)).createDevices)

/** Adds devices, or changes those of the same name: all of them, or none. */
export const upsertDevices = async (slug: string, inputs: DeviceToWrite[], signal: AbortSignal): Promise<Refusals> =>
  refusals((await once(() => mutate(UPSERT, { inputs }, slug), signal)).upsertDevices)

/** Changes devices, each on its own. */
export const updateDevices = async (slug: string, inputs: DeviceChange[], signal: AbortSignal): Promise<Refusals> =>
  refusals((await once(() => mutate(UPDATE, { inputs }, slug), signal)).updateDevices)

/** Deletes devices for good, each on its own. */
export const deleteDevices = async (slug: string, ids: string[], signal: AbortSignal): Promise<Refusals> =>
  refusals((await once(() => mutate(DELETE, { inputs: ids.map((id) => ({ id })) }, slug), signal)).deleteDevices)

const once = <Answer>(call: () => Promise<Answer>, signal: AbortSignal) =>
  patiently(call, { repeatable: false, signal })

const refusals = ({ results }: { results: { errors: Refusal[] }[] }): Refusals => results.map(({ errors }) => errors)

const SECOND_MS = 1_000
const LONGEST_WAIT_SECONDS = 60
const TRIES = 5

interface Patience {
  /** False where what was sent may have taken effect although its answer was lost: then only a refusal is tried again. */
  repeatable: boolean
  signal: AbortSignal
}

/** For a long row of calls: waits as long as the portal asks for and tries again, a few times. */
async function patiently<Answer>(call: () => Promise<Answer>, { repeatable, signal }: Patience): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ApiError) || tries === TRIES || !isWorthAnother(error, repeatable)) throw error
      await waited(error.retryAfterSeconds ?? tries, signal)
    }
  }
}

const isWorthAnother = (error: ApiError, repeatable: boolean) =>
  isPassing(error) &&
  (repeatable || error.code === 'RATE_LIMITED') &&
  (error.retryAfterSeconds ?? 0) <= LONGEST_WAIT_SECONDS

function waited(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * SECOND_MS)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
