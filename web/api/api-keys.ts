import { queryOptions } from '@tanstack/react-query'
import { request } from './client.ts'
import { graphql, type ResultOf, type VariablesOf } from './graphql.ts'

const LOOK_AGAIN_MS = 1_000

const API_KEYS = graphql(`
  query ApiKeys {
    apiKeys(first: 500) {
      data { id label start createdAt createdBy { kind id name } lastUsedAt lastUsedFrom expiresAt }
    }
  }
`)

export type ListedKey = ResultOf<typeof API_KEYS>['apiKeys']['data'][number]

const listKeys = async (slug: string) => (await request(API_KEYS, {}, slug)).apiKeys.data

/** The keys of the organization; the list stays current by itself while somebody looks at it. */
export const apiKeysQuery = (slug: string) =>
  queryOptions({ queryKey: ['api-keys', slug], queryFn: () => listKeys(slug), refetchInterval: LOOK_AGAIN_MS })

/** The keys that a person made. */
export const keysMadeByQuery = (slug: string, userId: string) =>
  queryOptions({
    queryKey: ['api-keys', slug],
    queryFn: () => listKeys(slug),
    select: (keys: ListedKey[]) => keys.filter((key) => key.createdBy.id === userId),
  })

const GENERATE = graphql(`
  mutation GenerateApiKey($input: GenerateApiKeyInput!) {
    generateApiKey(input: $input) { secret apiKey { id label } }
  }
`)

export type GeneratedKey = ResultOf<typeof GENERATE>['generateApiKey']

/** The answer holds the secret: it goes to the dialog that shows it, and into no cache. */
export const generateApiKey = async (slug: string, input: VariablesOf<typeof GENERATE>['input']) =>
  (await request(GENERATE, { input }, slug)).generateApiKey

const FIRST_CALL = graphql(`
  query FirstCall($id: ID!) {
    apiKey(id: $id) { lastUsedAt lastUsedFrom }
  }
`)

/** Looks for the first call with a key, until it has come. */
export const firstCallQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ['first-call', slug, id],
    queryFn: async () => (await request(FIRST_CALL, { id }, slug)).apiKey,
    refetchInterval: ({ state }) => (state.data?.lastUsedAt ? false : LOOK_AGAIN_MS),
    gcTime: 0,
  })

const RENAME = graphql(`
  mutation RenameApiKey($id: ID!, $label: String!) {
    renameApiKey(id: $id, label: $label) { id }
  }
`)

export const renameApiKey = (slug: string, id: string, label: string) => request(RENAME, { id, label }, slug)

const REVOKE = graphql(`
  mutation RevokeApiKey($id: ID!, $includeDescendants: Boolean!) {
    revokeApiKey(id: $id, includeDescendants: $includeDescendants) { ids }
  }
`)

/** Answers with the ids of all that are gone now. */
export const revokeApiKey = async (slug: string, id: string, includeDescendants: boolean) =>
  (await request(REVOKE, { id, includeDescendants }, slug)).revokeApiKey.ids
