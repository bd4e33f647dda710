import { queryOptions } from '@tanstack/react-query'
import { mutate, request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import { every } from './polling.ts'

const REFRESH_MS = 5_000

const REVOKE_IMPACT = graphql(`
  query RevokeImpact($id: ID!) {
    apiKey(id: $id) {
      recentUsage {
        calls errors
        addresses { value calls } otherAddressCalls
        userAgents { value calls } otherUserAgentCalls
        operations { value calls } otherOperationCalls
      }
    }
  }
`)

export type RecentUsage = NonNullable<ResultOf<typeof REVOKE_IMPACT>['apiKey']>['recentUsage']

/** What a revoke of this key would break. */
export const revokeImpactQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ['revoke-impact', slug, id],
    queryFn: async () => (await request(REVOKE_IMPACT, { id }, slug)).apiKey,
    refetchInterval: every(REFRESH_MS),
    gcTime: 0,
  })

const REVOKE = graphql(`
  mutation RevokeApiKey($id: ID!, $includeDescendants: Boolean!, $reason: String) {
    revokeApiKey(id: $id, includeDescendants: $includeDescendants, reason: $reason) { ids durable }
  }
`)

interface RevokeOptions {
  includeDescendants: boolean
  reason: string | null
}

/** Answers with the ids of all that are gone now, and whether that is on record outside of the database too. */
export const revokeApiKey = async (slug: string, id: string, options: RevokeOptions) =>
  (await mutate(REVOKE, { id, ...options }, slug)).revokeApiKey

const REVOKE_MANY = graphql(`
  mutation RevokeApiKeys($ids: [ID!]!, $reason: String) {
    revokeApiKeys(input: { ids: $ids }, reason: $reason) { ids durable }
  }
`)

/** All of them in one step, or none. Answers as for a single key. */
export const revokeApiKeys = async (slug: string, ids: string[], reason: string | null) =>
  (await mutate(REVOKE_MANY, { ids, reason }, slug)).revokeApiKeys
