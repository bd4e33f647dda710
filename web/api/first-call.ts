import { queryOptions } from '@tanstack/react-query'
import { request } from './client.ts'
import { graphql } from './graphql.ts'
import { every } from './polling.ts'

const REFRESH_MS = 2_000

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
    refetchInterval: (query) => (query.state.data?.lastUsedAt ? false : every(REFRESH_MS)(query)),
    gcTime: 0,
  })
