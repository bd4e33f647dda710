import { queryOptions } from '@tanstack/react-query'
import { mutate, request } from './client.ts'
import { graphql } from './graphql.ts'

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
