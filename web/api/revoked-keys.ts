import { infiniteQueryOptions } from '@tanstack/react-query'
import { request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import { every } from './polling.ts'

const PAGE_SIZE = 25
const REFRESH_MS = 30_000

const REVOKED = graphql(`
  query RevokedApiKeys($first: Int!, $after: String) {
    revokedApiKeys(first: $first, after: $after) {
      data { id label prefix cause reason revokedAt revokedBy { kind name } lastUsedAt }
      pageInfo { endCursor hasNextPage }
    }
  }
`)

export type RevokedKey = ResultOf<typeof REVOKED>['revokedApiKeys']['data'][number]

/** The keys that are gone, the last one first. */
export const revokedKeysQuery = (slug: string) =>
  infiniteQueryOptions({
    queryKey: ['revoked-keys', slug],
    queryFn: async ({ pageParam }) =>
      (await request(REVOKED, { first: PAGE_SIZE, after: pageParam }, slug)).revokedApiKeys,
    initialPageParam: null as string | null, // the type of all that follow
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    refetchInterval: every(REFRESH_MS),
  })
