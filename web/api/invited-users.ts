import { queryOptions } from '@tanstack/react-query'
import { request } from './client.ts'
import { graphql } from './graphql.ts'

const INVITED = graphql(`
  query InvitedUsers($id: ID!) {
    apiKey(id: $id) {
      invitedUsers(first: 100) {
        data { id name invited }
        pageInfo { hasNextPage }
      }
    }
  }
`)

/** The people whom a key invited; null where it is gone. */
export const invitedUsersQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ['invited-users', slug, id],
    queryFn: async () => {
      const { apiKey } = await request(INVITED, { id }, slug)
      return apiKey && { people: apiKey.invitedUsers.data, hasMore: apiKey.invitedUsers.pageInfo.hasNextPage }
    },
    gcTime: 0,
  })
