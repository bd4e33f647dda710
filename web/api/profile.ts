import { queryOptions } from '@tanstack/react-query'
import { auth, mutate, request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'

const SESSIONS = graphql(`
  query Sessions {
    sessions { id createdAt lastSeenAt address userAgent current }
  }
`)

export type Session = ResultOf<typeof SESSIONS>['sessions'][number]

/** Where the person is signed in. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async () => (await request(SESSIONS, {})).sessions,
})

const REVOKE_SESSION = graphql(`
  mutation RevokeSession($id: ID!) {
    revokeSession(id: $id)
  }
`)

export const revokeSession = (id: string) => mutate(REVOKE_SESSION, { id })

const REVOKE_OTHER_SESSIONS = graphql(`
  mutation RevokeOtherSessions {
    revokeOtherSessions
  }
`)

export const revokeOtherSessions = async () => (await mutate(REVOKE_OTHER_SESSIONS, {})).revokeOtherSessions

const UPDATE_PROFILE = graphql(`
  mutation UpdateProfile($name: String!) {
    updateProfile(name: $name) { id }
  }
`)

export const updateProfile = (name: string) => mutate(UPDATE_PROFILE, { name })

/** Every other session ends with the old password. */
export const changePassword = (input: { password: string; newPassword: string }) => auth('change-password', input)
