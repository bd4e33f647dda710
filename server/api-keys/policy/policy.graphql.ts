import { ADMIN_ONLY } from '../../caller/key-rules.ts'
import { LIMITS } from '../../config/limits.ts'
import { builder, type RequestCtx } from '../../graphql/builder.ts'
import { describedEnum } from '../../graphql/described-enum.ts'
import { inputArg, range, upTo } from '../../graphql/domain.ts'
import { load } from '../../graphql/loaders.ts'
import { plainFields } from '../../graphql/plain-fields.ts'
import { MAX_NETWORKS } from '../../lib/network.ts'
import { networkList } from '../access/access-type.graphql.ts'
import { ApiKeyType } from '../api-key.graphql.ts'
import { setApiKeyPolicy } from './change.ts'
import { type ApiKeyPolicy, apiKeyPolicy, checkPolicyInput, MAX_LIFETIME_DAYS, policyOfKey } from './policy.ts'
import type { ApiKeyRule } from './rules.ts'
import { type ApiKeyPolicyViolation, apiKeyPolicyViolations } from './violations.ts'

const ApiKeyPolicyType = builder.objectRef<ApiKeyPolicy>('ApiKeyPolicy').implement({
  access: ['READ_ONLY'],
  description: 'The rules of an organization for its keys, or those that apply to one key. By default there are none.',
  fields: (t) => ({
    ...plainFields(t, {
      'maxKeys: Int': 'The maximum number of active keys. Null: 100.',
      'maxLifetimeDays: Int':
        'The maximum lifetime of a new key, in days. Null: any, and a key may have no expiration.',
      'expiryRequired: Boolean!': 'Whether a new key needs an expiration date.',
      'labelRequired: Boolean!': 'Whether a new key needs a label.',
      'allowKeyManagement: Boolean!':
        'Whether a key may generate, rename, rotate and revoke keys, enable and disable API keys, and change the policy.',
      'rejectBrowsers: Boolean!': 'Whether calls with an `Origin` header, as browsers send it, are refused.',
    }),
    allowedNetworks: t.exposeStringList('allowedNetworks', {
      cost: { maxItems: MAX_NETWORKS },
      description: 'The networks that calls are accepted from, such as `10.0.0.0/8` or `2001:db8::/32`. Empty: any.',
    }),
  }),
})

const ApiKeyRuleType = describedEnum<ApiKeyRule>('ApiKeyRule', 'A rule of a policy, named as its field.', {
  MAX_KEYS: 'The rule `maxKeys`: too many keys are active. Those unused for longest violate it.',
  MAX_LIFETIME: 'The rule `maxLifetimeDays`: a key expires too late, or never.',
  EXPIRY_REQUIRED: 'The rule `expiryRequired`: a key has no expiration date.',
  LABEL_REQUIRED: 'The rule `labelRequired`: nobody has chosen the label of a key.',
  ALLOWED_NETWORKS: 'The rule `allowedNetworks`: a key was called from elsewhere, last or within 48 hours.',
  ALLOW_KEY_MANAGEMENT: 'The rule `allowKeyManagement`: a key has generated keys, or rotates itself.',
  REJECT_BROWSERS: 'The rule `rejectBrowsers`. No key violates it: it applies to all of them.',
})

const ApiKeyPolicyBreachType = builder.objectRef<ApiKeyPolicyViolation>('ApiKeyPolicyViolation').implement({
  access: ['READ_ONLY'],
  description: 'A rule, and the active keys that violate it. They stay as they are unless the rule is applied to them.',
  fields: (t) => ({
    rule: t.expose('rule', { type: ApiKeyRuleType, description: 'The rule that they violate.' }),
    apiKeys: t.expose('apiKeys', {
      cost: { maxItems: 200 },
      type: [ApiKeyType],
      description: 'The active keys that violate it, at least one.',
    }),
    ...plainFields(t, {
      'consequence: String!': 'What happens to these keys if the rule is applied to them, in a sentence for people.',
    }),
  }),
})

const ApiKeyPolicyInput = builder.inputType('ApiKeyPolicyInput', {
  description: 'Changes of a policy: a rule that is absent stays as it is, null goes back to the default.',
  fields: (t) => ({
    maxKeys: t.int({
      ...range(1, LIMITS.active_keys),
      description: 'The maximum number of active keys, 1 to 100. By default 100.',
    }),
    maxLifetimeDays: t.int({
      ...range(1, MAX_LIFETIME_DAYS),
      description: 'The maximum lifetime of a key in days, 1 to 3650. By default any.',
    }),
    expiryRequired: t.boolean({ description: 'Whether a new key needs an expiration date. By default not.' }),
    labelRequired: t.boolean({ description: 'Whether a new key needs a label. By default not.' }),
    allowedNetworks: t.stringList({
      ...networkList,
      description:
        'The networks that calls are accepted from: at most 100, each an IP address or a range in CIDR notation. By default any.',
    }),
    allowKeyManagement: t.boolean({ description: 'Whether a key may manage keys. By default it may.' }),
    rejectBrowsers: t.boolean({ description: 'Whether calls from browsers are refused. By default not.' }),
  }),
})

/** Loaded once for all keys that are requested together. */
const policyFor = (ctx: RequestCtx): Promise<ApiKeyPolicy> =>
  load(ctx, 'policy', ctx.caller.organizationId, async (ids) => Array(ids.length).fill(await apiKeyPolicy(ctx)))

builder.objectField(ApiKeyType, 'policy', (t) =>
  t.field({
    access: ['READ_ONLY'],
    type: ApiKeyPolicyType,
    description:
      'The rules that apply to this key. A rule that the key violated when the rule was set does not apply to it, unless that was requested.',
    resolve: async (apiKey, _args, ctx) => policyOfKey(apiKey, await policyFor(ctx)),
  }),
)

builder.queryFields((t) => ({
  apiKeyPolicy: t.field({
    access: ['READ_ONLY'],
    type: ApiKeyPolicyType,
    description: 'The rules for new keys of the organization. For an Admin or a key.',
    resolve: (_root, _args, ctx) => apiKeyPolicy(ctx),
  }),
  apiKeyPolicyViolations: t.field({
    access: ['READ_ONLY'],
    cost: { own: 2_000, maxItems: 7 },
    type: [ApiKeyPolicyBreachType],
    description:
      'Which active keys would violate which rules if the policy were changed like this. Nothing is changed. For an Admin or a key.',
    args: { input: t.arg({ type: ApiKeyPolicyInput, required: true, description: 'The changes to try.' }) },
    resolve: (_root, { input }, ctx) => apiKeyPolicyViolations(ctx, input),
  }),
}))

builder.mutationField('setApiKeyPolicy', (t) =>
  t.field({
    access: ADMIN_ONLY,
    effect: 'ENDS_ACCESS',
    cost: { own: 2_000 },
    type: ApiKeyPolicyType,
    description:
      'Changes the policy of the organization. Keys that violate a rule stay as they are, unless the rule is applied to them. For an Admin or a key that may manage keys and has no networks or limits of its own.',
    args: {
      input: inputArg(t.arg, ApiKeyPolicyInput, 'The rules to change.', checkPolicyInput),
      applyToExisting: t.arg({
        ...upTo(10),
        type: [ApiKeyRuleType],
        description:
          'Rules to apply to the keys that violate them as well: `apiKeyPolicyViolations` tells what happens to these.',
      }),
    },
    resolve: async (_root, { input, applyToExisting }, ctx) =>
      (await setApiKeyPolicy(ctx, input, applyToExisting ?? [])).policy,
  }),
)
