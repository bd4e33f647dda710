import { queryOptions } from '@tanstack/react-query'
import { request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import { every } from './polling.ts'

const REFRESH_MS = 15_000

const CANARIES = graphql(`
  query CanaryApiKeys {
    canaryApiKeys { id label prefix createdAt calls lastUsedAt lastUsedIp lastUsedUserAgent leakedAt }
  }
`)

export type CanaryKey = ResultOf<typeof CANARIES>['canaryApiKeys'][number]

export const canaryKeysQuery = (slug: string) =>
  queryOptions({
    queryKey: ['canary-keys', slug],
    queryFn: async () => (await request(CANARIES, {}, slug)).canaryApiKeys,
    refetchInterval: every(REFRESH_MS),
    refetchOnWindowFocus: 'always',
  })
