import { infiniteQueryOptions } from '@tanstack/react-query'
import { auth, request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import { every } from './polling.ts'

const PAGE = 20
const REFRESH_MS = 10_000

/** Sends a link for a new password, if there is such an account: the answer does not tell. */
export const forgotPassword = (email: string) => auth('forgot-password', { email })

/** Sends the email with the link that confirms the address of the signed-in person. */
export const sendVerificationEmail = () => auth('send-verification-email', {})

/** Confirms an address by the token of its link; nobody has to be signed in. */
export const verifyEmail = (token: string) => auth<{ email: string }>('verify-email', { token })

const EMAILS = graphql(`
  query Emails($first: Int!, $after: String) {
    emails(first: $first, after: $after) {
      data { id to subject text createdAt sentAt state lastError }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export type Email = ResultOf<typeof EMAILS>['emails']['data'][number]

/** The emails of the organization, the newest first, page by page. */
export const emailsQuery = (slug: string) =>
  infiniteQueryOptions({
    queryKey: ['emails', slug],
    queryFn: async ({ pageParam }) => (await request(EMAILS, { first: PAGE, after: pageParam }, slug)).emails,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    refetchInterval: every(REFRESH_MS),
  })

/** Whether the portal sends mail; the server writes it into the page. */
export const isMailOn = () => document.querySelector<HTMLMetaElement>('meta[name="mail"]')?.content === 'on'
