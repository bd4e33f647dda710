import { queryOptions } from '@tanstack/react-query'
import { ApiError, request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import { every } from './polling.ts'

const REFRESH_MS = 5_000

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
    refetchInterval: every(REFRESH_MS),
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
    refetchInterval: every(REFRESH_MS),
  })
