import { queryOptions } from '@tanstack/react-query'
import { mutate, request, unreadable } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import { every } from './polling.ts'

const BY_SECRET = graphql(`
  query ApiKeyBySecret($secret: String!) {
    apiKeyBySecret(secret: $secret) { id label prefix lastUsedAt lastUsedIp }
  }
`)

export type KeyOfSecret = ResultOf<typeof BY_SECRET>['apiKeyBySecret']

/** The key of the organization that has this secret; null: none has. The secret goes into no cache. */
export const apiKeyBySecret = async (slug: string, secret: string): Promise<KeyOfSecret> =>
  (await request(BY_SECRET, { secret }, slug)).apiKeyBySecret

const REPORT = graphql(`
  mutation ReportLeakedApiKey($secret: String!, $url: String) {
    reportLeakedApiKey(secret: $secret, url: $url) {
      revoked descendantCount durable
      apiKey { id label }
      canaryApiKey { label }
    }
  }
`)

export type ReportedLeak = NonNullable<ResultOf<typeof REPORT>['reportLeakedApiKey']>

export const reportLeakedApiKey = async (slug: string, secret: string, url: string | undefined) =>
  (await mutate(REPORT, { secret, url: url ?? null }, slug)).reportLeakedApiKey

const GENERATE = graphql(`
  mutation GenerateCanaryApiKey($label: String!) {
    generateCanaryApiKey(label: $label) { secret canaryApiKey { label } }
  }
`)

/** The answer holds the secret: it is shown once, and goes into no cache. */
export async function generateCanaryApiKey(slug: string, label: string): Promise<{ label: string; secret: string }> {
  const { secret, canaryApiKey } = (await mutate(GENERATE, { label }, slug)).generateCanaryApiKey
  if (typeof secret !== 'string' || secret === '') throw unreadable(200, 'changes')
  return { label: canaryApiKey.label, secret }
}

const DELETE = graphql(`
  mutation DeleteCanaryApiKey($id: ID!) {
    deleteCanaryApiKey(id: $id)
  }
`)

export const deleteCanaryApiKey = (slug: string, id: string) => mutate(DELETE, { id }, slug)

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
