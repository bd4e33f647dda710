import { queryOptions } from '@tanstack/react-query'
import { request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import { every } from './polling.ts'

const REFRESH_MS = 10 * 60_000

const EXPIRING_KEYS = graphql(`
  query ExpiringKeys {
    expiringApiKeys { daysLeft apiKey { id label } }
  }
`)

export type ExpiringKey = ResultOf<typeof EXPIRING_KEYS>['expiringApiKeys'][number]

/** The keys that expire within 30 days, the soonest first; for Admins. */
export const expiringKeysQuery = (slug: string) =>
  queryOptions({
    queryKey: ['api-keys', slug, 'expiring'],
    queryFn: async () => (await request(EXPIRING_KEYS, {}, slug)).expiringApiKeys,
    refetchInterval: every(REFRESH_MS),
  })
