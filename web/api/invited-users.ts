import { queryOptions } from '@tanstack/react-query'
import { request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'

const MAX_SHOWN = 100

const INVITED = graphql(`
  query InvitedUsers($id: ID!, $first: Int!, $all: Boolean) {
    apiKey(id: $id) {
      invitedUsers(first: $first, includeDescendants: $all) {
        data { id name email role invited }
        pageInfo { hasNextPage }
      }
    }
  }
`)

export type InvitedUser = NonNullable<ResultOf<typeof INVITED>['apiKey']>['invitedUsers']['data'][number]

/** The people whom a key invited, and those of the keys that it generated if they are meant too; null where it is gone. */
export const invitedUsersQuery = (slug: string, id: string, includeDescendants: boolean) =>
  queryOptions({
    queryKey: ['invited-users', slug, id, includeDescendants],
    queryFn: async () => {
      const { apiKey } = await request(INVITED, { id, first: MAX_SHOWN, all: includeDescendants || null }, slug)
      return apiKey && { people: apiKey.invitedUsers.data, hasMore: apiKey.invitedUsers.pageInfo.hasNextPage }
    },
    gcTime: 0,
  })
