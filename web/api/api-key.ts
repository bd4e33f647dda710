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

const CALLS_REFRESH_MS = 5_000

const CALLS = graphql(`
  query ApiKeyCalls($id: ID!) {
    apiKey(id: $id) {
      recentCalls {
        accepted { id at operation ip status durationMs code }
        refused { id at operation ip status durationMs code }
      }
    }
  }
`)

export type KeyCalls = NonNullable<ResultOf<typeof CALLS>['apiKey']>['recentCalls']

/** The last calls with a key, one by one; none where the key is gone. */
export const keyCallsQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ['api-keys', slug, 'calls', id],
    queryFn: async () => (await request(CALLS, { id }, slug)).apiKey?.recentCalls ?? null,
    refetchInterval: every(CALLS_REFRESH_MS),
  })

const REVOKED = graphql(`
  query RevokedApiKey($id: ID!) {
    revokedApiKey(id: $id) {
      id label prefix createdAt createdBy { name } lastUsedAt revokedAt revokedBy { kind name } cause reason
      recentCalls {
        accepted { id at operation ip status durationMs code }
        refused { id at operation ip status durationMs code }
      }
    }
  }
`)

export type RevokedKeyOfPage = NonNullable<ResultOf<typeof REVOKED>['revokedApiKey']>

/** A key that is gone, and its last calls; null when nothing is on record of it. */
export const revokedKeyQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ['revoked-keys', slug, 'one', id],
    queryFn: async () => {
      try {
        return (await request(REVOKED, { id }, slug)).revokedApiKey
      } catch (error) {
        if (error instanceof ApiError && error.code === 'NOT_FOUND') return null
        throw error
      }
    },
    refetchInterval: every(CALLS_REFRESH_MS),
  })

const FIRST_CALL_REFRESH_MS = 2_000

const FIRST_CALL = graphql(`
  query FirstCall($id: ID!) {
    apiKey(id: $id) { lastUsedAt lastUsedIp }
  }
`)

/** Looks for the first call with a key, until it has come. */
export const firstCallQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ['first-call', slug, id],
    queryFn: async () => (await request(FIRST_CALL, { id }, slug)).apiKey,
    refetchInterval: (query) => (query.state.data?.lastUsedAt ? false : every(FIRST_CALL_REFRESH_MS)(query)),
    gcTime: 0,
  })
