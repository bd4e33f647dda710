import { queryOptions } from '@tanstack/react-query'
import { request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import { every } from './polling.ts'

const PAGE_SIZE = 500
const REFRESH_MS = 15_000

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
    refetchInterval: every(REFRESH_MS),
    gcTime: 0,
  })
