import { infiniteQueryOptions } from '@tanstack/react-query'
import { auth, request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import { every } from './polling.ts'

const PAGE = 20
const STAYS_CURRENT_MS = 10_000

/** Sends a link for a new password, if there is such an account: the answer does not tell. */
export const forgotPassword = (email: string) => auth('forgot-password', { email })

/** Sends the email with the link that confirms the address of whoever is signed in. */
export const sendVerificationEmail = () => auth('send-verification-email', {})

/** Confirms an address by the token of its link; nobody has to be signed in. */
export const verifyEmail = (token: string) => auth<{ email: string }>('verify-email', { token })

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
    refetchInterval: every(STAYS_CURRENT_MS),
  })
