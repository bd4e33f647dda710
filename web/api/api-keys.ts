import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { mutate, request, unreadable } from './client.ts'
import { graphql, type ResultOf, type VariablesOf } from './graphql.ts'
import { every } from './polling.ts'

/** More pages are fetched less often, so that the load is the same for any number of keys. */
const PAGE_EVERY_MS = 15_000
const PAGE = 100
const USAGE_EVERY_MS = 60_000
const LIST_FRESH_MS = 5_000
const USAGE_FRESH_MS = 10_000

const API_KEYS = graphql(`
  query ApiKeys($first: Int!, $after: String) {
    apiKeys(first: $first, after: $after) {
      data {
        id label prefix createdAt createdBy { kind id name } lastUsedAt lastUsedIp lastUsedUserAgent lastUsedOperation
        expiresAt expired replacedBy { id } access deviceId device { name } notBefore paused pausedUntil
        allowedNetworks requestsPerSecond requestsPerDay
      }
      pageInfo { endCursor hasNextPage }
    }
  }
`)

export type ListedKey = ResultOf<typeof API_KEYS>['apiKeys']['data'][number]

const pagesOf = (keys: number) => Math.max(1, Math.ceil(keys / PAGE))

/** All of them, page by page: an old key that is still active is never left out. */
async function listKeys(slug: string): Promise<ListedKey[]> {
  const keys: ListedKey[] = []
  let after: string | null = null
  do {
    const { apiKeys }: ResultOf<typeof API_KEYS> = await request(API_KEYS, { first: PAGE, after }, slug)
    keys.push(...apiKeys.data)
    after = apiKeys.pageInfo.hasNextPage ? apiKeys.pageInfo.endCursor : null
  } while (after)
  return keys
}

/** The keys of the organization; the list stays current by itself while somebody looks at it. */
export const apiKeysQuery = (slug: string) =>
  queryOptions({
    queryKey: ['api-keys', slug],
    queryFn: () => listKeys(slug),
    refetchInterval: (query) => every(PAGE_EVERY_MS * pagesOf(query.state.data?.length ?? 0))(query),
    refetchOnWindowFocus: 'always',
    staleTime: LIST_FRESH_MS,
  })

/** The keys that a person created. */
export const keysCreatedByQuery = (slug: string, userId: string) =>
  queryOptions({
    queryKey: ['api-keys', slug],
    queryFn: () => listKeys(slug),
    select: (keys: ListedKey[]) => keys.filter((key) => key.createdBy.id === userId),
  })

const USAGE = graphql(`
  query ApiKeysUsage($since: DateTime!, $ids: [ID!]!, $first: Int!) {
    apiKeys(first: $first, filter: { ids: $ids }) {
      data { id usage(since: $since) { at calls errors } }
    }
  }
`)

type Usage = ResultOf<typeof USAGE>['apiKeys']['data'][number]['usage']

async function usageOf(slug: string, since: string, ids: readonly string[]): Promise<Map<string, Usage>> {
  const usage = new Map<string, Usage>()
  for (let from = 0; from < ids.length; from += PAGE) {
    const some = ids.slice(from, from + PAGE)
    const { apiKeys } = await request(USAGE, { since, ids: some, first: some.length }, slug)
    for (const key of apiKeys.data) usage.set(key.id, key.usage)
  }
  return usage
}

/** What each of these keys, which are in sight, did on the days since then. */
export const usageQuery = (slug: string, since: string, ids: readonly string[]) =>
  queryOptions({
    queryKey: ['api-keys-usage', slug, since, [...ids].sort()],
    queryFn: () => usageOf(slug, since, ids),
    placeholderData: keepPreviousData,
    refetchInterval: every(USAGE_EVERY_MS * pagesOf(ids.length)),
    staleTime: USAGE_FRESH_MS,
  })

const GENERATE = graphql(`
  mutation GenerateApiKey($input: GenerateApiKeyInput!) {
    generateApiKey(input: $input) {
      secret
      apiKey { id label access deviceId device { name } notBefore paused pausedUntil }
    }
  }
`)

export type NewKey = VariablesOf<typeof GENERATE>['input']
export type GeneratedKey = NonNullable<ResultOf<typeof GENERATE>['generateApiKey']>

/** The answer holds the secret: it goes to the dialog that shows it, and into no cache. */
export const generateApiKey = async (slug: string, input: NewKey) =>
  withSecret((await mutate(GENERATE, { input }, slug)).generateApiKey)

/** A secret comes once: an answer without it, or without its key, is as good as none, whatever the schema says. */
function withSecret(answer: Partial<GeneratedKey> | undefined): GeneratedKey {
  const { secret, apiKey } = answer ?? {}
  if (typeof secret !== 'string' || secret === '' || !apiKey?.id) throw unreadable(200, 'changes')
  return { secret, apiKey }
}

const RENAME = graphql(`
  mutation RenameApiKey($id: ID!, $label: String!) {
    renameApiKey(id: $id, label: $label) { id }
  }
`)

export const renameApiKey = (slug: string, id: string, label: string) => mutate(RENAME, { id, label }, slug)

const ROTATE = graphql(`
  mutation RotateApiKey($id: ID!, $overlapSeconds: Int!) {
    rotateApiKey(id: $id, overlapSeconds: $overlapSeconds) {
      secret
      apiKey { id label access deviceId device { name } notBefore paused pausedUntil }
    }
  }
`)

/** A new secret under the same label; the old one expires after the overlap. As with a new key, the answer goes into no cache. */
export const rotateApiKey = async (slug: string, id: string, overlapSeconds: number): Promise<GeneratedKey> =>
  withSecret((await mutate(ROTATE, { id, overlapSeconds }, slug)).rotateApiKey)

const REFRESH_MS = 15_000

const KEYS_HELD = graphql(`
  query KeysHeld {
    organization { apiKeysHeldSince }
  }
`)

/** Since when no key is accepted, because the database was restored; null: keys are accepted. For Admins. */
export const keysHeldQuery = (slug: string) =>
  queryOptions({
    queryKey: ['api-keys', slug, 'held'],
    queryFn: async () => (await request(KEYS_HELD, {}, slug)).organization.apiKeysHeldSince,
    refetchInterval: every(REFRESH_MS),
    refetchOnWindowFocus: 'always',
  })

const EXPIRING_REFRESH_MS = 10 * 60_000

const EXPIRING_KEYS = graphql(`
  query ExpiringKeys {
    expiringApiKeys { daysLeft apiKey { id label } }
  }
`)

export type ExpiringKey = ResultOf<typeof EXPIRING_KEYS>['expiringApiKeys'][number]

/** The keys that expire within 30 days, the soonest first; for Admins. */
export const expiringKeysQuery = (slug: string) =>
  queryOptions({
    queryKey: ['api-keys', slug, 'expiring'],
    queryFn: async () => (await request(EXPIRING_KEYS, {}, slug)).expiringApiKeys,
    refetchInterval: every(EXPIRING_REFRESH_MS),
  })
