import { queryOptions } from '@tanstack/react-query'
import { mutate, request } from './client.ts'
import { graphql, type ResultOf, type VariablesOf } from './graphql.ts'

const POLICY = graphql(`
  query ApiKeyPolicy {
    apiKeyPolicy {
      maxKeys longestLifeDays endRequired labelRequired allowedNetworks keysManageKeys refuseBrowsers
    }
  }
`)

export type KeyPolicy = ResultOf<typeof POLICY>['apiKeyPolicy']

/** The rules that new keys of the organization are held to. */
export const policyQuery = (slug: string) =>
  queryOptions({
    queryKey: ['api-keys', slug, 'policy'],
    queryFn: async () => (await request(POLICY, {}, slug)).apiKeyPolicy,
  })

const BREACHES = graphql(`
  query ApiKeyPolicyBreaches($input: ApiKeyPolicyInput!) {
    apiKeyPolicyBreaches(input: $input) { rule consequence apiKeys { id label prefix } }
  }
`)

export type PolicyInput = VariablesOf<typeof BREACHES>['input']
export type PolicyBreach = ResultOf<typeof BREACHES>['apiKeyPolicyBreaches'][number]
export type KeyRule = PolicyBreach['rule']

/** Which of these rules keys break that are there already; nothing is changed. */
export const policyBreaches = async (slug: string, input: PolicyInput) =>
  (await request(BREACHES, { input }, slug)).apiKeyPolicyBreaches

const SET = graphql(`
  mutation SetApiKeyPolicy($input: ApiKeyPolicyInput!, $applyToExisting: [ApiKeyRule!]) {
    setApiKeyPolicy(input: $input, applyToExisting: $applyToExisting) { endRequired }
  }
`)

export const setPolicy = (slug: string, input: PolicyInput, applyToExisting: KeyRule[]) =>
  mutate(SET, { input, applyToExisting }, slug)
