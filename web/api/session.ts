import { queryOptions } from '@tanstack/react-query'
import { ApiError, auth, mutate, request } from './client.ts'
import { graphql } from './graphql.ts'

/** Whether anyone may sign up; the server writes it into the page. */
export const isSignUpOpen = () => document.querySelector<HTMLMetaElement>('meta[name="sign-up"]')?.content !== 'off'

export interface Invitation {
  organization: { slug: string; name: string }
  email: string
  name: string
  role: 'ADMIN' | 'MEMBER'
  hasAccount: boolean
}

/** What an invitation says; null for a link that does not work. */
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: () => auth<Invitation>('invitation', { token }).catch(nullWhen('NOT_FOUND')),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const acceptInvitation = (input: { token: string; name?: string | undefined; password?: string }) =>
  auth<Pick<Invitation, 'organization'>>('accept-invitation', input)

const WHO = graphql(`
  query SignedInAs {
    viewer { user { email } }
  }
`)

/** The email of the signed-in person; null if nobody is signed in. */
export const signedInAsQuery = queryOptions({
  queryKey: ['signed-in-as'],
  queryFn: async () => (await request(WHO, {}).catch(nullWhen('UNAUTHENTICATED')))?.viewer.user?.email ?? null,
})

const nullWhen = (code: string) => (error: unknown) => {
  if (error instanceof ApiError && error.code === code) return null
  throw error
}

const MAX_SHOWN = 100

const KEYS = graphql(`
  query RemainingKeys($first: Int!) {
    organization { slug }
    apiKeys(first: $first) {
      data {
        id label prefix createdAt expired createdBy { name } lastUsedAt lastUsedIp
      }
      totalCount
    }
  }
`)

/** The keys of the personal account that still work after a password reset: the newest, and how many more there are. */
export const remainingKeysQuery = queryOptions({
  queryKey: ['remaining-keys'],
  queryFn: async () => {
    const { organization, apiKeys } = await request(KEYS, { first: MAX_SHOWN })
    const { data, totalCount } = apiKeys
    const keys = data.filter(({ expired }) => !expired)
    return { slug: organization.slug, keys, others: totalCount - data.length }
  },
})

const REVOKE_ALL = graphql(`
  mutation RevokeRemainingKeys {
    revokeApiKeys(input: { all: true }) { ids }
  }
`)

/** Every key of the personal account that was shown, for good: somebody else may have signed in since, in another tab. */
export const revokeRemainingKeys = async (slug: string | undefined) =>
  (await mutate(REVOKE_ALL, {}, slug)).revokeApiKeys.ids
