import { queryOptions } from '@tanstack/react-query'
import { mutate, request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import { every } from './polling.ts'

const PAUSE = graphql(`
  mutation PauseApiKey($id: ID!, $seconds: Int) {
    pauseApiKey(id: $id, seconds: $seconds) { pausedUntil }
  }
`)

/** Without seconds: until it is resumed. */
export const pauseApiKey = async (slug: string, id: string, seconds: number | null) =>
  (await mutate(PAUSE, { id, seconds }, slug)).pauseApiKey

const RESUME = graphql(`
  mutation ResumeApiKey($id: ID!) {
    resumeApiKey(id: $id) { id }
  }
`)

export const resumeApiKey = (slug: string, id: string) => mutate(RESUME, { id }, slug)

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
export type RefusedCalls = NonNullable<Paused['refusedWhilePaused']>

/** Since when and by whom a key is paused, and who was refused meanwhile. Null where the key is gone. */
export const pausedKeyQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ['api-keys', slug, 'paused', id],
    queryFn: async () => (await request(REFUSED, { id }, slug)).apiKey,
    refetchInterval: every(REFRESH_MS),
  })
