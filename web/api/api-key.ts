import { queryOptions } from '@tanstack/react-query'
import { ApiError, request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import { every } from './polling.ts'

const REFRESH_MS = 5_000

const API_KEY = graphql(`
  query ApiKeyPage($id: ID!) {
    apiKey(id: $id) {
      id label prefix createdAt createdBy { kind id name }
      lastUsedAt lastUsedIp lastUsedUserAgent lastUsedOperation expiresAt expired
      days: usage(by: DAY) { at calls errors }
      hours: usage(by: HOUR) { at calls errors }
      recentUsage {
        calls errors
        addresses { value calls } otherAddressCalls
        userAgents { value calls } otherUserAgentCalls
        operations { value calls } otherOperationCalls
      }
      access deviceId device { name } allowedNetworks notBefore requestsPerSecond requestsPerDay
      paused pausedUntil
      usedFields { field calls }
      suggestedAccess { access since narrower { access refused { field calls } } }
      policy { labelRequired allowedNetworks allowKeyManagement rejectBrowsers }
      replaces { id prefix createdAt expiresAt expired lastUsedAt lastUsedIp lastUsedUserAgent }
      replacedBy { id prefix createdAt expiresAt expired lastUsedAt lastUsedIp lastUsedUserAgent }
    }
  }
`)

export type KeyOfPage = NonNullable<ResultOf<typeof API_KEY>['apiKey']>
export type KeySide = NonNullable<KeyOfPage['replaces']>
export type UsageCounts = KeyOfPage['recentUsage']['addresses']

/** All that is known of one key; null when there is none, or no longer. */
export const apiKeyQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ['api-keys', slug, 'one', id],
    queryFn: async () => {
      try {
        return (await request(API_KEY, { id }, slug)).apiKey
      } catch (error) {
        if (error instanceof ApiError && error.code === 'NOT_FOUND') return null
        throw error
      }
    },
    refetchInterval: every(REFRESH_MS),
  })
