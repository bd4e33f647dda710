import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { mutate, request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import { every } from './polling.ts'
import type { Viewer } from './viewer.ts'

const REFRESH_MS = 5_000

const ACTIVE_KEYS = graphql(`
  query ActiveKeyCount {
    organization { activeApiKeyCount }
  }
`)

/** How many keys of the organization are active now; for its Admins. */
export const activeKeyCountQuery = (slug: string) =>
  queryOptions({
    queryKey: ['api-keys', slug, 'count'],
    queryFn: async () => (await request(ACTIVE_KEYS, {}, slug)).organization.activeApiKeyCount,
    refetchInterval: every(REFRESH_MS),
  })

const SWITCH = graphql(`
  mutation SetApiKeysEnabled($enabled: Boolean!, $revokeActiveKeys: Boolean!) {
    setApiKeysEnabled(enabled: $enabled, revokeActiveKeys: $revokeActiveKeys) { activeApiKeyCount }
  }
`)

/** Switches the feature, and answers how many keys are active afterwards. */
export const setApiKeysEnabled = async (slug: string, enabled: boolean, { revokeActiveKeys = false } = {}) =>
  (await mutate(SWITCH, { enabled, revokeActiveKeys }, slug)).setApiKeysEnabled.activeApiKeyCount

const RENAME = graphql(`
  mutation RenameOrganization($name: String!) {
    updateOrganization(input: { name: $name }) { name }
  }
`)

const RENAME_PERSON = graphql(`
  mutation RenamePersonalAccount($name: String!) {
    updateProfile(name: $name) { name }
  }
`)

/** Changes the name of the account; a personal account has the name of its person, so that both change. */
export const renameAccount = ({ kind, slug }: Viewer['organization'], name: string): Promise<unknown> =>
  kind === 'PERSONAL' ? mutate(RENAME_PERSON, { name }, slug) : mutate(RENAME, { name }, slug)

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

const SWITCH_FOR = graphql(`
  mutation SupportSetApiKeysEnabled($organizationId: ID!, $enabled: Boolean!) {
    supportSetApiKeysEnabled(organizationId: $organizationId, enabled: $enabled) { id }
  }
`)

export const supportSetApiKeysEnabled = (organizationId: string, enabled: boolean) =>
  mutate(SWITCH_FOR, { organizationId, enabled })
