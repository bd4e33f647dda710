import { HOUR } from '../../../server/lib/clock.ts'
import type { Answer } from './http.ts'
import { type Call, fieldOf } from './people.ts'
import type { Person, TestKey, TestOrganization, World } from './world.ts'

const POLICY = 'maxKeys maxLifetimeDays expiryRequired labelRequired allowedNetworks allowKeyManagement rejectBrowsers'

export const DEFAULT_POLICY = {
  maxKeys: null,
  maxLifetimeDays: null,
  expiryRequired: false,
  labelRequired: false,
  allowedNetworks: [],
  allowKeyManagement: true,
  rejectBrowsers: false,
}

/** What a caller may do with the policy of an organization, as GraphQL has it. */
export function policyAs(call: Call) {
  return {
    read: () => call(`{ apiKeyPolicy { ${POLICY} } }`),
    ofKey: (id: string) =>
      call(`query ($id: ID!) { apiKey(id: $id) { label expiresAt policy { ${POLICY} } } }`, { id }),
    ofViewer: () => call(`{ viewer { apiKey { label expiresAt policy { ${POLICY} } } } }`),
    violations: (input: object) =>
      call(
        'query ($input: ApiKeyPolicyInput!) { apiKeyPolicyViolations(input: $input) { rule apiKeys { id } consequence } }',
        { input },
      ),
    set: (input: object, applyToExisting?: string[]) =>
      call(
        `mutation ($input: ApiKeyPolicyInput!, $applyToExisting: [ApiKeyRule!]) {
          setApiKeyPolicy(input: $input, applyToExisting: $applyToExisting) { ${POLICY} } }`,
        { input, applyToExisting },
      ),
  }
}

export type Policy = ReturnType<typeof policyAs>

export const policyOfAdmin = (admin: Person, { slug }: Pick<TestOrganization, 'slug'>) =>
  policyAs((query, variables) => admin.call(query, variables, slug))

interface Violation {
  rule: string
  apiKeys: { id: string }[]
  consequence: string
}

/** The ids of the keys that break each rule. */
export const breachesIn = (answer: Answer) =>
  Object.fromEntries(fieldOf<Violation[]>(answer).map(({ rule, apiKeys }) => [rule, apiKeys.map(({ id }) => id)]))

/** As if the key had been called from there last, at that time. */
export const wasUsed = ({ database, clock }: World, { id }: TestKey, from: string, at = clock.now()) =>
  database.transaction((db) =>
    db.updateTable('apiKey').set({ lastUsedAt: at, lastUsedIp: from }).where('id', '=', id).execute(),
  )

/** As if another replica had counted a call from there, at that time; null: from an address that it does not list. */
export const wasSeen = ({ database }: World, { id }: TestKey, from: string | null, at: number) =>
  database.transaction((db) =>
    db
      .insertInto('apiKeyUsage')
      .values({
        keyId: id,
        hour: at - (at % HOUR),
        writer: 'another',
        calls: 1,
        errors: 0,
        seen: JSON.stringify({ addresses: [[from, 1]], agents: [], operations: [] }),
      })
      .execute(),
  )
