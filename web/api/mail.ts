import { infiniteQueryOptions } from '@tanstack/react-query'
import { auth, request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'

const PAGE = 20
const STAYS_CURRENT_MS = 10_000

/** Whether the portal sends mail; the server writes it into the page. */
export const isMailOn = () => document.querySelector<HTMLMetaElement>('meta[name="mail"]')?.content === 'on'

/** Sends a link for a new password, if there is such an account: the answer does not tell. */
export const forgotPassword = (email: string) => auth('forgot-password', { email })

const OUTBOX = graphql(`
  query Outbox($first: Int!, $after: String) {
    outbox(first: $first, after: $after) {
      data { id to subject text createdAt sentAt state trouble }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export type Letter = ResultOf<typeof OUTBOX>['outbox']['data'][number]

/** The letters of the organization, the newest first, page by page. */
export const outboxQuery = (slug: string) =>
  infiniteQueryOptions({
    queryKey: ['outbox', slug],
    queryFn: async ({ pageParam }) => (await request(OUTBOX, { first: PAGE, after: pageParam }, slug)).outbox,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    refetchInterval: STAYS_CURRENT_MS,
  })
