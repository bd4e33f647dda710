import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
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

const MAX_SHOWN = 100

const INVITED = graphql(`
  query InvitedUsers($id: ID!, $first: Int!, $all: Boolean) {
    apiKey(id: $id) {
      invitedUsers(first: $first, includeDescendants: $all) {
        data { id name email role invited }
        pageInfo { hasNextPage }
      }
    }
  }
`)

export type InvitedUser = NonNullable<ResultOf<typeof INVITED>['apiKey']>['invitedUsers']['data'][number]

/** The people whom a key invited, and those of the keys that it generated if they are meant too; null where it is gone. */
export const invitedUsersQuery = (slug: string, id: string, includeDescendants: boolean) =>
  queryOptions({
    queryKey: ['invited-users', slug, id, includeDescendants],
    queryFn: async () => {
      const { apiKey } = await request(INVITED, { id, first: MAX_SHOWN, all: includeDescendants || null }, slug)
      return apiKey && { people: apiKey.invitedUsers.data, hasMore: apiKey.invitedUsers.pageInfo.hasNextPage }
    },
    gcTime: 0,
  })

const CREATORS = graphql(`
  query WebhookCreators {
    webhooks { id url description enabled createdBy { kind id } }
  }
`)

export type CreatedBySomebody = ResultOf<typeof CREATORS>['webhooks'][number]

/** The webhooks of the organization, with who created each. */
export const webhookCreatorsQuery = (slug: string) =>
  queryOptions({
    queryKey: ['webhooks', slug, 'creators'],
    queryFn: async () => (await request(CREATORS, {}, slug)).webhooks,
  })

const PAGE_SIZE = 500
const DESCENDANTS_REFRESH_MS = 15_000

const DESCENDANTS = graphql(`
  query Descendants($id: ID!, $first: Int!, $after: String) {
    apiKey(id: $id) {
      descendants(first: $first, after: $after) { data { id label parentId } pageInfo { endCursor hasNextPage } }
    }
  }
`)

/** A key that another generated, directly or through others; it stands behind its parent. */
export interface Descendant {
  id: string
  label: string
  parentId: string
}

const ask = (slug: string, id: string, after: string | null): Promise<ResultOf<typeof DESCENDANTS>> =>
  request(DESCENDANTS, { id, first: PAGE_SIZE, after }, slug)

/** The keys that a key generated, directly or through others (C2). */
export const descendantsQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ['descendants', slug, id],
    queryFn: async (): Promise<Descendant[]> => {
      const found: Descendant[] = []
      for (let after: string | null = null; ; ) {
        const { apiKey } = await ask(slug, id, after)
        if (!apiKey) return found
        const { data, pageInfo } = apiKey.descendants
        found.push(...data)
        if (!pageInfo.hasNextPage) return found
        after = pageInfo.endCursor
      }
    },
    refetchInterval: every(DESCENDANTS_REFRESH_MS),
    gcTime: 0,
  })

const REVOKED_PAGE_SIZE = 25
const REVOKED_REFRESH_MS = 30_000

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
      (await request(REVOKED, { first: REVOKED_PAGE_SIZE, after: pageParam }, slug)).revokedApiKeys,
    initialPageParam: null as string | null, // the type of all that follow
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    refetchInterval: every(REVOKED_REFRESH_MS),
  })
