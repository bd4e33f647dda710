import DataLoader from 'dataloader'
import { builder, type RequestCtx } from '../../graphql/builder.ts'
import { costs } from '../../graphql/cost.ts'
import { checkedBy, range, upTo } from '../../graphql/domain.ts'
import { ApiKeyType } from '../api-key.graphql.ts'
import { setApiKeyPolicy } from './change.ts'
import { type ApiKeyPolicy, apiKeyPolicy, checkPolicyInput, policyOfKey } from './policy.ts'
import type { ApiKeyRule } from './rules.ts'
import { type ApiKeyPolicyViolation, apiKeyPolicyViolations } from './violations.ts'

const ApiKeyPolicyType = builder.objectRef<ApiKeyPolicy>('ApiKeyPolicy').implement({
  description: 'The rules of an organization for its keys, or those that apply to one key. By default there are none.',
  fields: (t) => ({
    maxKeys: t.exposeInt('maxKeys', { nullable: true, description: 'The maximum number of active keys. Null: 100.' }),
    maxLifetimeDays: t.exposeInt('maxLifetimeDays', {
      nullable: true,
      description: 'The maximum lifetime of a new key, in days. Null: any, and a key may have no expiration.',
    }),
    expiryRequired: t.exposeBoolean('expiryRequired', { description: 'Whether a new key needs an expiration date.' }),
    labelRequired: t.exposeBoolean('labelRequired', {
      description: 'Whether a new key needs a label.',
    }),
    allowedNetworks: t.exposeStringList('allowedNetworks', {
      ...costs({ maxItems: 100 }),
      description: 'The networks that calls are accepted from, such as `10.0.0.0/8` or `2001:db8::/32`. Empty: any.',
    }),
    allowKeyManagement: t.exposeBoolean('allowKeyManagement', {
      description:
        'Whether a key may generate, rename, rotate and revoke keys, enable and disable API keys, and change the policy.',
    }),
    rejectBrowsers: t.exposeBoolean('rejectBrowsers', {
      description: 'Whether calls with an `Origin` header, as browsers send it, are refused.',
    }),
  }),
})

const ApiKeyRuleType = builder.enumType('ApiKeyRule', {
  description: 'A rule of a policy, named as its field.',
  values: {
    MAX_KEYS: { description: 'The rule `maxKeys`: too many keys are active. Those unused for longest violate it.' },
    MAX_LIFETIME: { description: 'The rule `maxLifetimeDays`: a key expires too late, or never.' },
    EXPIRY_REQUIRED: { description: 'The rule `expiryRequired`: a key has no expiration date.' },
    LABEL_REQUIRED: { description: 'The rule `labelRequired`: nobody has chosen the label of a key.' },
    ALLOWED_NETWORKS: {
      description: 'The rule `allowedNetworks`: a key was called from elsewhere, last or within 48 hours.',
    },
    ALLOW_KEY_MANAGEMENT: {
      description: 'The rule `allowKeyManagement`: a key has generated keys, or rotates itself.',
    },
    REJECT_BROWSERS: { description: 'The rule `rejectBrowsers`. No key violates it: it applies to all of them.' },
  } satisfies Record<ApiKeyRule, object>,
})

const ApiKeyPolicyBreachType = builder.objectRef<ApiKeyPolicyViolation>('ApiKeyPolicyViolation').implement({
  description: 'A rule, and the active keys that violate it. They stay as they are unless the rule is applied to them.',
  fields: (t) => ({
    rule: t.expose('rule', { type: ApiKeyRuleType, description: 'The rule that they violate.' }),
    apiKeys: t.expose('apiKeys', {
      ...costs({ maxItems: 200 }),
      type: [ApiKeyType],
      description: 'The active keys that violate it, at least one.',
    }),
    consequence: t.exposeString('consequence', {
      description: 'What happens to these keys if the rule is applied to them, in a sentence for people.',
    }),
  }),
})

const ApiKeyPolicyInput = builder.inputType('ApiKeyPolicyInput', {
  description: 'Changes of a policy: a rule that is absent stays as it is, null goes back to the default.',
  fields: (t) => ({
    maxKeys: t.int({ ...range(1, 100), description: 'The maximum number of active keys, 1 to 100. By default 100.' }),
    maxLifetimeDays: t.int({
      ...range(1, 3650),
      description: 'The maximum lifetime of a key in days, 1 to 3650. By default any.',
    }),
    expiryRequired: t.boolean({ description: 'Whether a new key needs an expiration date. By default not.' }),
    labelRequired: t.boolean({ description: 'Whether a new key needs a label. By default not.' }),
    allowedNetworks: t.stringList({
      ...upTo(100, { max: 100 }),
      description:
        'The networks that calls are accepted from: at most 100, each an IP address or a range in CIDR notation. By default any.',
    }),
    allowKeyManagement: t.boolean({ description: 'Whether a key may manage keys. By default it may.' }),
    rejectBrowsers: t.boolean({ description: 'Whether calls from browsers are refused. By default not.' }),
  }),
})

const loaders = new WeakMap<RequestCtx, DataLoader<string, ApiKeyPolicy>>()

/** Loaded once for all keys that are requested together; never cached, since the next mutation may change it. */
function policyFor(ctx: RequestCtx): Promise<ApiKeyPolicy> {
  let loader = loaders.get(ctx)
  if (!loader) {
    loader = new DataLoader(async (asked) => Array(asked.length).fill(await apiKeyPolicy(ctx)), { cache: false })
    loaders.set(ctx, loader)
  }
  return loader.load(ctx.caller.organizationId)
}

builder.objectField(ApiKeyType, 'policy', (t) =>
  t.field({
    type: ApiKeyPolicyType,
    description:
      'The rules that apply to this key. A rule that the key violated when the rule was set does not apply to it, unless that was requested.',
    resolve: async (apiKey, _args, ctx) => policyOfKey(apiKey, await policyFor(ctx)),
  }),
)

builder.queryField('apiKeyPolicy', (t) =>
  t.field({
    type: ApiKeyPolicyType,
    description: 'The rules for new keys of the organization. For an Admin or a key.',
    resolve: (_root, _args, ctx) => apiKeyPolicy(ctx),
  }),
)

builder.queryField('apiKeyPolicyViolations', (t) =>
  t.field({
    ...costs({ cost: 2_000, maxItems: 7 }),
    type: [ApiKeyPolicyBreachType],
    description:
      'Which active keys would violate which rules if the policy were changed like this. Nothing is changed. For an Admin or a key.',
    args: { input: t.arg({ type: ApiKeyPolicyInput, required: true, description: 'The changes to try.' }) },
    resolve: (_root, { input }, ctx) => apiKeyPolicyViolations(ctx, input),
  }),
)

builder.mutationField('setApiKeyPolicy', (t) =>
  t.field({
    ...costs({ cost: 2_000 }),
    type: ApiKeyPolicyType,
    description:
      'Changes the policy of the organization. Keys that violate a rule stay as they are, unless the rule is applied to them. For an Admin or a key that may manage keys and has no networks or limits of its own.',
    args: {
      input: t.arg({
        ...checkedBy(checkPolicyInput),
        type: ApiKeyPolicyInput,
        required: true,
        description: 'The rules to change.',
      }),
      applyToExisting: t.arg({
        ...upTo(10),
        type: [ApiKeyRuleType],
        description:
          'Rules to apply to the keys that violate them as well: `apiKeyPolicyViolations` tells what happens to these.',
      }),
    },
    resolve: (_root, { input, applyToExisting }, ctx) => setApiKeyPolicy(ctx, input, applyToExisting ?? []),
  }),
)
