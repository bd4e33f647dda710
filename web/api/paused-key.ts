import { queryOptions } from '@tanstack/react-query'
import { request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import { every } from './polling.ts'

const REFRESH_MS = 10_000

const REFUSED = graphql(`
  query RefusedWhilePaused($id: ID!) {
    apiKey(id: $id) {
      pausedAt pausedUntil pausedBy { kind name }
      refusedWhilePaused {
        calls lastAt
        addresses { value calls } otherAddressCalls
        userAgents { value calls } otherUserAgentCalls
      }
    }
  }
`)

type Paused = NonNullable<ResultOf<typeof REFUSED>['apiKey']>
export type RefusedWhilePaused = NonNullable<Paused['refusedWhilePaused']>

/** Of a paused key: since when and by whom, and who was refused meanwhile. Null where the key is gone. */
export const pausedKeyQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ['api-keys', slug, 'paused', id],
    queryFn: async () => (await request(REFUSED, { id }, slug)).apiKey,
    refetchInterval: every(REFRESH_MS),
  })
