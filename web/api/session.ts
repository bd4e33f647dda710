import { queryOptions } from '@tanstack/react-query'
import { ApiError, auth, request } from './client.ts'
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
