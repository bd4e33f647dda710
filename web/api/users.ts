import { queryOptions } from '@tanstack/react-query'
import { mutate, request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'

const PAGE_SIZE = 500

const USERS = graphql(`
  query Users($first: Int!, $search: String) {
    users(first: $first, search: $search) {
      data { id name email role invited createdAt }
      pageInfo { hasNextPage }
    }
  }
`)

export type ListedUser = ResultOf<typeof USERS>['users']['data'][number]

/** The people of the organization; with a search, those whose name or address begins so. */
export const usersQuery = (slug: string, search = '') =>
  queryOptions({
    queryKey: ['users', slug, search],
    queryFn: async () => (await request(USERS, { first: PAGE_SIZE, search: search || null }, slug)).users,
  })

const INVITE = graphql(`
  mutation InviteUser($input: InviteUserInput!) {
    inviteUser(input: $input) { link user { email } }
  }
`)

export const inviteUser = async (
  slug: string,
  input: { email: string; name: string | null; role: ListedUser['role'] },
) => (await mutate(INVITE, { input }, slug)).inviteUser

const CHANGE_ROLE = graphql(`
  mutation ChangeUserRole($userId: ID!, $role: Role!) {
    changeUserRole(userId: $userId, role: $role) { id }
  }
`)

export const changeUserRole = (slug: string, userId: string, role: ListedUser['role']) =>
  mutate(CHANGE_ROLE, { userId, role }, slug)

const REMOVE = graphql(`
  mutation RemoveUser($userId: ID!) {
    removeUser(userId: $userId)
  }
`)

export const removeUser = (slug: string, userId: string) => mutate(REMOVE, { userId }, slug)
