import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { mutate, request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'

const PAGE_SIZE = 50

const ORGANIZATIONS = graphql(`
  query SupportOrganizations($first: Int!, $search: String, $after: String) {
    supportOrganizations(first: $first, search: $search, after: $after) {
      data { id slug name kind apiKeysEnabled activeApiKeyCount }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export type SupportedOrganization = ResultOf<typeof ORGANIZATIONS>['supportOrganizations']['data'][number]

/** All organizations whose names begin so, page by page; for the vendor's support. */
export const supportOrganizationsQuery = (search = '') =>
  infiniteQueryOptions({
    queryKey: ['support-organizations', search],
    queryFn: async ({ pageParam }) =>
      (await request(ORGANIZATIONS, { first: PAGE_SIZE, search, after: pageParam })).supportOrganizations,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    placeholderData: keepPreviousData,
  })

const SWITCH = graphql(`
  mutation SupportSetApiKeysEnabled($organizationId: ID!, $enabled: Boolean!) {
    supportSetApiKeysEnabled(organizationId: $organizationId, enabled: $enabled) { id }
  }
`)

export const supportSetApiKeysEnabled = (organizationId: string, enabled: boolean) =>
  mutate(SWITCH, { organizationId, enabled })
