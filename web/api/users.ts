import { infiniteQueryOptions } from '@tanstack/react-query'
import { mutate, request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import { orderBy, type Sort } from './order-by.ts'

const PAGE_SIZE = 500

const USERS = graphql(`
  query Users($first: Int!, $after: String, $search: String, $orderBy: UserOrder, $counted: Boolean!) {
    users(first: $first, after: $after, search: $search, orderBy: $orderBy) {
      data { id name email role invited createdAt }
      pageInfo { hasNextPage endCursor }
      totalCount @include(if: $counted)
    }
  }
`)

export type ListedUser = ResultOf<typeof USERS>['users']['data'][number]

/** What the list can be sorted by, and how the API calls it. */
const ORDERS = { name: 'NAME', role: 'ROLE', joined: 'CREATED_AT' } as const

export type UserSort = Sort<keyof typeof ORDERS>

/** The search and order of the people, as in the URL, where the panel of keys has a `sort` of its own. */
export interface UserSearch {
  search?: string | undefined
  order?: UserSort | undefined
}

/** The people of the organization, many at a time; with a search, those whose name or address begins so. */
export const usersQuery = (slug: string, { search, order }: UserSearch = {}) =>
  infiniteQueryOptions({
    queryKey: ['users', slug, search, order],
    queryFn: async ({ pageParam: after }) => {
      const wanted = { search: search ?? null, orderBy: orderBy(ORDERS, order) }
      return (await request(USERS, { first: PAGE_SIZE, after, ...wanted, counted: after === null }, slug)).users
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
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
