import { queryOptions } from '@tanstack/react-query'
import { request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import { every } from './polling.ts'

const LOOK_AGAIN_MS = 10 * 60_000

const WARNINGS = graphql(`
  query EndingKeys {
    apiKeyWarnings { daysLeft apiKey { id label } }
  }
`)

export type KeyWarning = ResultOf<typeof WARNINGS>['apiKeyWarnings'][number]

/** The keys that end within 30 days, the soonest first; for Admins. */
export const keyWarningsQuery = (slug: string) =>
  queryOptions({
    queryKey: ['api-keys', slug, 'warnings'],
    queryFn: async () => (await request(WARNINGS, {}, slug)).apiKeyWarnings,
    refetchInterval: every(LOOK_AGAIN_MS),
  })
