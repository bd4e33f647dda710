import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { ApiError, request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'

const PAGE = 50
const EXPORT_PAGE = 500

const CHANGES = graphql(`
  query ApiKeyChanges($id: ID!, $since: DateTime, $first: Int!, $after: String) {
    apiKeyChanges(id: $id, since: $since, first: $first, after: $after) {
      data {
        id at action subject subjectType subjectId details ip
        actor { kind id name }
        changes { field before after }
      }
      pageInfo { hasNextPage endCursor }
      keyCount isComplete
    }
  }
`)

const COUNT = graphql(`
  query CountApiKeyChanges($id: ID!, $since: DateTime) {
    apiKeyChanges(id: $id, since: $since, first: 1) { totalCount }
  }
`)

const LABEL = graphql(`
  query LabelOfKey($id: ID!) {
    apiKey(id: $id) { label }
  }
`)

/** What a key is called; null for one that is gone, whose changes say how it was called. */
export const keyLabelQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ['api-keys', slug, 'label', id],
    queryFn: async () => {
      try {
        return (await request(LABEL, { id }, slug)).apiKey?.label ?? null
      } catch (error) {
        if (error instanceof ApiError && error.code === 'NOT_FOUND') return null
        throw error
      }
    },
  })

type Changes = NonNullable<ResultOf<typeof CHANGES>['apiKeyChanges']>
export type KeyChange = Changes['data'][number]

/** Which key, and from when on; absent: since it was generated. */
export interface WantedChanges {
  id: string
  since?: string | undefined
}

/** What a key and the keys that it created have changed, the newest first; null where there was never such a key. */
export const keyChangesQuery = (slug: string, wanted: WantedChanges) =>
  infiniteQueryOptions({
    queryKey: ['key-changes', slug, wanted.id, wanted.since],
    queryFn: ({ pageParam }) => fetchChanges(slug, wanted, { first: PAGE, after: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : undefined),
    // While another moment loads, what was there stays; never that of another key.
    placeholderData: (before, query) =>
      query?.queryKey[1] === slug && query.queryKey[2] === wanted.id ? before : undefined,
  })

async function fetchChanges(
  slug: string,
  { id, since }: WantedChanges,
  page: { first: number; after: string | null },
): Promise<Changes | null> {
  try {
    return (await request(CHANGES, { id, since: since ?? null, ...page }, slug)).apiKeyChanges
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return null
    throw error
  }
}

export const countKeyChanges = async (slug: string, { id, since }: WantedChanges) =>
  (await request(COUNT, { id, since: since ?? null }, slug)).apiKeyChanges?.totalCount ?? 0

/** All of them, in large pages, fetched as they are read. */
export async function* allKeyChanges(slug: string, wanted: WantedChanges): AsyncGenerator<KeyChange[]> {
  for (let after: string | null = null, more = true; more; ) {
    const page: Changes | null = await fetchChanges(slug, wanted, { first: EXPORT_PAGE, after })
    yield page?.data ?? []
    after = page?.pageInfo.endCursor ?? null
    more = page?.pageInfo.hasNextPage ?? false
  }
}
