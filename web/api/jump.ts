import { request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import { apiKeyBySecret } from './leaks.ts'
import { apiKeySecretIn, hasSecret } from './secret-text.ts'
import { showsApiKeys, type Viewer } from './viewer.ts'

const EACH = 5

const FIND = graphql(`
  query Find(
    $first: Int!, $devices: DeviceFilter!, $keys: ApiKeyFilter, $keySearch: String, $people: String!
    $showsKeys: Boolean!, $showsPeople: Boolean!
  ) {
    devices(first: $first, filter: $devices) { data { id name status } }
    apiKeys(first: $first, filter: $keys, search: $keySearch) @include(if: $showsKeys) { data { id label prefix } }
    users(first: $first, search: $people) @include(if: $showsPeople) { data { id name email } }
  }
`)

export interface Found {
  devices: ResultOf<typeof FIND>['devices']['data']
  apiKeys: { id: string; label: string; prefix: string }[]
  users: { id: string; name: string; email: string }[]
}

const NOTHING: Found = { devices: [], apiKeys: [], users: [] }
const ID = /^[0-9a-hjkmnp-tv-z]{26}$/

/** Devices, keys and people by a part of their name or by their id, and a key by its secret, which goes into no cache. */
export async function find(viewer: Viewer, text: string): Promise<Found> {
  const { slug, kind } = viewer.organization
  if (hasSecret(text)) {
    const secret = apiKeySecretIn(text)
    const key = secret && showsApiKeys(viewer) ? await apiKeyBySecret(slug, secret) : null
    return { ...NOTHING, apiKeys: key ? [key] : [] }
  }
  const ids = ID.test(text) ? [text] : undefined
  const { devices, apiKeys, users } = await request(
    FIND,
    {
      first: EACH,
      devices: ids ? { ids } : { nameContains: text },
      keys: ids ? { ids } : null,
      keySearch: ids ? null : text,
      people: text,
      showsKeys: showsApiKeys(viewer),
      showsPeople: kind === 'ORGANIZATION',
    },
    slug,
  )
  return { devices: devices.data, apiKeys: apiKeys?.data ?? [], users: users?.data ?? [] }
}
