import { queryOptions } from '@tanstack/react-query'
import { mutate, request } from './client.ts'
import { graphql, type ResultOf, type VariablesOf } from './graphql.ts'

const POLICY = graphql(`
  query ApiKeyPolicy {
    apiKeyPolicy {
      maxKeys maxLifetimeDays expiryRequired labelRequired allowedNetworks allowKeyManagement rejectBrowsers
    }
  }
`)

export type KeyPolicy = ResultOf<typeof POLICY>['apiKeyPolicy']

/** The policy for new keys of the organization. */
export const policyQuery = (slug: string) =>
  queryOptions({
    queryKey: ['api-keys', slug, 'policy'],
    queryFn: async () => (await request(POLICY, {}, slug)).apiKeyPolicy,
  })

const VIOLATIONS = graphql(`
  query ApiKeyPolicyViolations($input: ApiKeyPolicyInput!) {
    apiKeyPolicyViolations(input: $input) { rule consequence apiKeys { id label prefix } }
  }
`)

export type PolicyInput = VariablesOf<typeof VIOLATIONS>['input']
export type PolicyViolation = ResultOf<typeof VIOLATIONS>['apiKeyPolicyViolations'][number]
export type KeyRule = PolicyViolation['rule']

/** Which of these rules existing keys violate; nothing is changed. */
export const policyViolations = async (slug: string, input: PolicyInput) =>
  (await request(VIOLATIONS, { input }, slug)).apiKeyPolicyViolations

const SET = graphql(`
  mutation SetApiKeyPolicy($input: ApiKeyPolicyInput!, $applyToExisting: [ApiKeyRule!]) {
    setApiKeyPolicy(input: $input, applyToExisting: $applyToExisting) { expiryRequired }
  }
`)

export const setPolicy = (slug: string, input: PolicyInput, applyToExisting: KeyRule[]) =>
  mutate(SET, { input, applyToExisting }, slug)
