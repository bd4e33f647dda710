import { queryOptions } from '@tanstack/react-query'
import { request } from './client.ts'
import { graphql } from './graphql.ts'
import { every } from './polling.ts'

const REFRESH_MS = 15_000

const KEYS_HELD = graphql(`
  query KeysHeld {
    organization { apiKeysHeldSince }
  }
`)

/** Since when no key is accepted, because the database was restored; null: keys are accepted. For Admins. */
export const keysHeldQuery = (slug: string) =>
  queryOptions({
    queryKey: ['api-keys', slug, 'held'],
    queryFn: async () => (await request(KEYS_HELD, {}, slug)).organization.apiKeysHeldSince,
    refetchInterval: every(REFRESH_MS),
    refetchOnWindowFocus: 'always',
  })
