import { queryOptions } from '@tanstack/react-query'
import { request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'

const STAYS_CURRENT_MS = 1_500

const API_KEYS = graphql(`
  query ApiKeys {
    apiKeys(first: 500) {
      data { id label start createdAt createdBy { kind id name } lastUsedAt lastUsedFrom expiresAt }
    }
  }
`)

export type ListedKey = ResultOf<typeof API_KEYS>['apiKeys']['data'][number]

const listKeys = async (slug: string) => (await request(API_KEYS, {}, slug)).apiKeys.data

/** The keys of the organization; the list stays current by itself while somebody looks at it. */
export const apiKeysQuery = (slug: string) =>
  queryOptions({ queryKey: ['api-keys', slug], queryFn: () => listKeys(slug), refetchInterval: STAYS_CURRENT_MS })

/** The keys that a person made. */
export const keysMadeByQuery = (slug: string, userId: string) =>
  queryOptions({
    queryKey: ['api-keys', slug],
    queryFn: () => listKeys(slug),
    select: (keys: ListedKey[]) => keys.filter((key) => key.createdBy.id === userId),
  })
