import { queryOptions } from '@tanstack/react-query'
import { mutate, request } from './client.ts'
import { graphql, type ResultOf, type VariablesOf } from './graphql.ts'

const KEY = graphql(`
  query ApiKeyRestrictions($id: ID!) {
    apiKey(id: $id) {
      access deviceId device { name } allowedNetworks notBefore requestsPerSecond requestsPerDay
    }
  }
`)

export type KeyRestrictions = NonNullable<ResultOf<typeof KEY>['apiKey']>
export type KeyAccess = KeyRestrictions['access']

/** The restrictions of a key as they are when the form opens, and not again while somebody types. */
export const restrictionsQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ['key-restrictions', slug, id],
    queryFn: async () => (await request(KEY, { id }, slug)).apiKey,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

const UPDATE = graphql(`
  mutation UpdateApiKey($id: ID!, $input: UpdateApiKeyInput!) {
    updateApiKey(id: $id, input: $input) { access deviceId device { name } }
  }
`)

export type KeyChanges = VariablesOf<typeof UPDATE>['input']

/** What is not among the changes stays as it is. */
export const updateApiKey = async (slug: string, id: string, input: KeyChanges) =>
  (await mutate(UPDATE, { id, input }, slug)).updateApiKey
