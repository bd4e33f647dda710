import DataLoader from 'dataloader'
import { builder, type RequestCtx } from '../graphql/builder.ts'
import { ApiKeyType } from './api-key.graphql.ts'
import { type ApiKeyPolicy, apiKeyPolicy, policyOfKey } from './policy.ts'
import { type ApiKeyPolicyBreach, apiKeyPolicyBreaches } from './policy-breaches.ts'
import { setApiKeyPolicy } from './policy-change.ts'
import { API_KEY_RULES } from './policy-rules.ts'

const ApiKeyPolicyType = builder.objectRef<ApiKeyPolicy>('ApiKeyPolicy').implement({
  description: 'What an organization asks of its keys, or what one key is held to. By default nothing.',
  fields: (t) => ({
    maxKeys: t.exposeInt('maxKeys', { nullable: true, description: 'Active keys at most. Absent: 100, as for all.' }),
    longestLifeDays: t.exposeInt('longestLifeDays', {
      nullable: true,
      description: 'A new key ends at most so many days after it is made. Absent: whenever it likes.',
    }),
    endRequired: t.exposeBoolean('endRequired', { description: 'A new key needs an end.' }),
    labelRequired: t.exposeBoolean('labelRequired', { description: 'A new key needs a label.' }),
    allowedNetworks: t.exposeStringList('allowedNetworks', {
      description: 'Calls from elsewhere are refused: `10.0.0.0/8`, `2001:db8::/32`. None: calls come from anywhere.',
    }),
    keysManageKeys: t.exposeBoolean('keysManageKeys', {
      description: 'Whether a key may generate, rename, rotate and revoke keys, switch the feature and set the policy.',
    }),
    refuseBrowsers: t.exposeBoolean('refuseBrowsers', {
      description: 'Calls with an `Origin` header, as browsers send it, are refused.',
    }),
  }),
})

const ApiKeyRuleType = builder.enumType('ApiKeyRule', { values: API_KEY_RULES })

const ApiKeyPolicyBreachType = builder.objectRef<ApiKeyPolicyBreach>('ApiKeyPolicyBreach').implement({
  description: 'A rule, and the active keys that break it.',
  fields: (t) => ({
    rule: t.expose('rule', { type: ApiKeyRuleType }),
    apiKeys: t.expose('apiKeys', { type: [ApiKeyType] }),
    consequence: t.exposeString('consequence', {
      description: 'What happens to them once it is applied to them, too.',
    }),
  }),
})

const ApiKeyPolicyInput = builder.inputType('ApiKeyPolicyInput', {
  description: 'What is absent stays, null goes back to the default.',
  fields: (t) => ({
    maxKeys: t.int({ description: '1 to 100.' }),
    longestLifeDays: t.int({ description: '1 to 3650.' }),
    endRequired: t.boolean(),
    labelRequired: t.boolean(),
    allowedNetworks: t.stringList({ description: 'At most 100, each an address or a range in CIDR notation.' }),
    keysManageKeys: t.boolean(),
    refuseBrowsers: t.boolean(),
  }),
})

const loaders = new WeakMap<RequestCtx, DataLoader<string, ApiKeyPolicy>>()

/** Once for all keys that are asked for together; it is not kept, for the next mutation may change it. */
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
      'What this key is held to. It may be less than the policy of the organization, for a key that was there before.',
    resolve: async (apiKey, _args, ctx) => policyOfKey(apiKey, await policyFor(ctx)),
  }),
)

builder.queryField('apiKeyPolicy', (t) =>
  t.field({
    type: ApiKeyPolicyType,
    description: 'What the organization asks of its keys. For an Admin or a key.',
    resolve: (_root, _args, ctx) => apiKeyPolicy(ctx),
  }),
)

builder.queryField('apiKeyPolicyBreaches', (t) =>
  t.field({
    type: [ApiKeyPolicyBreachType],
    description: 'Which keys would break which rules if the policy were changed like this. Nothing is changed.',
    args: { input: t.arg({ type: ApiKeyPolicyInput, required: true }) },
    resolve: (_root, { input }, ctx) => apiKeyPolicyBreaches(ctx, input),
  }),
)

builder.mutationField('setApiKeyPolicy', (t) =>
  t.field({
    type: ApiKeyPolicyType,
    description:
      'Changes what the organization asks of its keys. Keys that break a rule go on as they were, unless it is applied to them.',
    args: {
      input: t.arg({ type: ApiKeyPolicyInput, required: true }),
      applyToExisting: t.arg({
        type: [ApiKeyRuleType],
        description: 'Rules that also hold for keys that break them: `apiKeyPolicyBreaches` tells what that means.',
      }),
    },
    resolve: (_root, { input, applyToExisting }, ctx) => setApiKeyPolicy(ctx, input, applyToExisting ?? []),
  }),
)
