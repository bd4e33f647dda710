import { ActorType } from '../audit/audit-event.graphql.ts'
import { ADMIN_ONLY, EVERY_ACCESS } from '../caller/key-rules.ts'
import { LIMITS } from '../config/limits.ts'
import { builder } from '../graphql/builder.ts'
import { checkedBy, text } from '../graphql/domain.ts'
import { plainFields } from '../graphql/plain-fields.ts'
import { OrganizationType } from '../organizations/organization.graphql.ts'
import { ApiKeyAccessType, ownRuleFields } from './access/access-type.graphql.ts'
import { type ApiKey, activeApiKeyCount, apiKeysHeldSince, findApiKey } from './api-key.ts'
import { renameApiKey } from './change-key.ts'
import { setApiKeysEnabled, supportSetApiKeysEnabled } from './feature-switch.ts'
import { checkNewKey, type GeneratedApiKey, generateApiKey, type NewKey } from './generate.ts'
import { MAX_REASON, type RevokedApiKeys, revokeApiKey } from './revoke.ts'

export const ApiKeyType = builder.objectRef<ApiKey>('ApiKey').implement({
  description:
    'Gives a script access to the organization, with the rights of an Admin unless less was chosen (`access`). Its secret is shown once, when it is generated.',
  fields: (t) => ({
    ...plainFields(t, EVERY_ACCESS, {
      'id: ID!': 'It reveals nothing about the secret, and may be shown and logged.',
      'label: String!': 'What the key is for; several keys may have the same.',
      'prefix: String!': 'The first ten characters of the secret, to tell keys apart.',
      'createdAt: DateTime!': 'When it was generated.',
      'lastUsedAt: DateTime': 'The last call that was accepted, up to 7.5 seconds late. Null: it was never used.',
      'lastUsedIp: String': 'The IP address of the last accepted call. Null: it was never used.',
      'lastUsedUserAgent: String':
        'The `User-Agent` header of the last accepted call, at most 200 characters; empty when there was none. Null: it was never used.',
      'lastUsedOperation: String':
        'The operation of the last call that had one: its name, or else its first fields. Null: there was none.',
      'expiresAt: DateTime': 'When it expires: from then on it is refused. Null: it is accepted until it is revoked.',
    }),
    createdBy: t.field({
      access: EVERY_ACCESS,
      type: ActorType,
      description: 'The person or key that generated it, or the command line, with the name of that time.',
      resolve: (key) => ({ kind: key.createdByKind, id: key.createdById, name: key.createdByName }),
    }),
  }),
})

export const GeneratedApiKeyType = builder.objectRef<GeneratedApiKey>('GeneratedApiKey').implement({
  description: 'A new key with its secret, which is shown nowhere else.',
  fields: (t) => ({
    apiKey: t.expose('apiKey', {
      access: EVERY_ACCESS,
      type: ApiKeyType,
      description: 'The key, as lists show it from now on.',
    }),
    secret: t.exposeString('secret', {
      access: EVERY_ACCESS, // a key that rotates itself gets its new secret
      description: 'What to send in the `api-secret` header. Store it now: the portal keeps only a hash of it.',
    }),
    durable: t.boolean({
      access: EVERY_ACCESS,
      description:
        'Where it replaces another key: whether the expiration of that one is also on record outside of the database, so that a restored backup does not bring it back. If false it expires all the same, and the portal writes the record as soon as it can. True for a key that replaces none.',
      resolve: ({ receipt }) => receipt?.durable ?? true,
    }),
  }),
})

export const RevokedApiKeysType = builder.objectRef<RevokedApiKeys>('RevokedApiKeys').implement({
  access: ['READ_ONLY'],
  description: 'Keys that are gone for good: no request that starts from now on is accepted with one of them.',
  fields: (t) => ({
    ids: t.exposeIDList('ids', {
      cost: { maxItems: LIMITS.stored_keys },
      description: 'The keys that were revoked, at most 1,000. Empty when none matched.',
    }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', description: 'When they were revoked.' }),
    durable: t.boolean({
      description:
        'Whether this is also on record outside of the database, so that a restored backup does not bring the keys back. If false they are revoked all the same, and the portal writes the record as soon as it can.',
      resolve: ({ receipt }) => receipt.durable,
    }),
  }),
})

builder.objectFields(OrganizationType, (t) => ({
  activeApiKeyCount: t.int({
    access: ['READ_ONLY'],
    cost: { own: 8 },
    description:
      'How many keys are active: those that have not expired, paused ones too. As many count against the maximum. For an Admin, a key or support.',
    resolve: (organization, _args, ctx) => activeApiKeyCount(ctx, organization.id),
  }),
  apiKeysHeldSince: t.field({
    access: ['READ_ONLY'],
    cost: { own: 2 },
    type: 'DateTime',
    nullable: true,
    description:
      'Since when no key is accepted (`KEYS_HELD`), in any organization: the database was restored, and revocations may be missing. Keys can be revoked meanwhile. Keys are accepted again when the revocations are found, or when the operator decides. Null: keys are accepted. For an Admin, a key or support.',
    resolve: (organization, _args, ctx) => apiKeysHeldSince(ctx, organization.id),
  }),
}))

builder.queryField('apiKey', (t) =>
  t.field({
    access: ['READ_ONLY'],
    type: ApiKeyType,
    nullable: true,
    description:
      'One key. One that does not exist, or not in this organization, is null with the error NOT_FOUND. For an Admin or a key.',
    args: { id: t.arg.id({ required: true, description: 'The `id` of the key.' }) },
    resolve: (_root, { id }, ctx) => findApiKey(ctx, id),
  }),
)

const GenerateApiKeyInput = builder.inputType('GenerateApiKeyInput', {
  description: 'A new key.',
  fields: (t) => ({
    label: t.string({
      ...text(),
      description:
        'What the key is for, 1 to 80 characters. Absent: one with the beginning of its secret in it, which a policy may refuse.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When it expires, a time in the future. Absent: never, which a policy may refuse.',
    }),
    access: t.field({
      type: ApiKeyAccessType,
      defaultValue: 'ADMIN',
      description: 'How much it may do: by default everything that an Admin may do in the organization.',
    }),
    deviceId: t.id({
      description: 'With the access CHECK_IN: the only device that it checks in and reads. Absent: any.',
    }),
    ...ownRuleFields(t, 'Absent'),
  }),
})

builder.mutationFields((t) => ({
  generateApiKey: t.field({
    access: ADMIN_ONLY,
    effect: 'GIVES_SECRET',
    type: GeneratedApiKeyType,
    description:
      'Generates a key that is accepted at once, unless keys are held (`apiKeysHeldSince`). Without input: the access ADMIN, a generated label, and no expiration. A key passes its own networks and limits on, and gives no key more than it has (FORBIDDEN). For an Admin or a key that may manage keys, where API keys are enabled.',
    args: {
      input: t.arg({
        ...checkedBy((input: NewKey) => checkNewKey(input, 0)),
        type: GenerateApiKeyInput,
        description: 'Its label, expiration and restrictions.',
      }),
    },
    resolve: (_root, { input }, ctx) => generateApiKey(ctx, input ?? {}),
  }),
  renameApiKey: t.field({
    access: ADMIN_ONLY,
    effect: 'WRITES',
    type: ApiKeyType,
    description: 'Changes the label of a key; its secret stays. For an Admin or a key that may manage keys.',
    args: {
      id: t.arg.id({ required: true, description: 'The `id` of the key.' }),
      label: t.arg.string({ ...text(), required: true, description: '1 to 80 characters.' }),
    },
    resolve: (_root, { id, label }, ctx) => renameApiKey(ctx, id, label),
  }),
  revokeApiKey: t.field({
    access: ADMIN_ONLY,
    effect: 'ENDS_ACCESS',
    cost: { own: 200 },
    type: RevokedApiKeysType,
    description:
      'Deletes a key for good. Everything that uses it loses access at once. For an Admin or a key that may manage keys.',
    args: {
      id: t.arg.id({ required: true, description: 'The `id` of the key.' }),
      includeDescendants: t.arg.boolean({
        defaultValue: false,
        description: 'Revoke the keys that it generated as well, directly or through others.',
      }),
      reason: t.arg.string({
        ...text(MAX_REASON),
        description: 'Why, 1 to 200 characters: shown with the revoked key and in the audit log.',
      }),
    },
    resolve: (_root, { id, includeDescendants, reason }, ctx) =>
      revokeApiKey(ctx, id, { includeDescendants: includeDescendants ?? false, reason }),
  }),
  setApiKeysEnabled: t.field({
    access: ADMIN_ONLY,
    effect: 'ENDS_ACCESS',
    cost: { own: 500 },
    type: OrganizationType,
    description:
      'Enables or disables API keys for the organization. Active keys keep working, unless they are revoked in this step. For an Admin or a key that may manage keys.',
    args: {
      enabled: t.arg.boolean({ required: true, description: 'Whether keys can be generated and rotated.' }),
      revokeActiveKeys: t.arg.boolean({
        defaultValue: false,
        description: 'Revoke every key of the organization; only when disabling.',
      }),
    },
    resolve: async (_root, { enabled, revokeActiveKeys }, ctx) =>
      (await setApiKeysEnabled(ctx, enabled, { revokeActiveKeys: revokeActiveKeys ?? false })).organization,
  }),
  supportSetApiKeysEnabled: t.field({
    access: ADMIN_ONLY,
    effect: 'WRITES',
    type: OrganizationType,
    description:
      "Enables or disables API keys for any organization. Active keys keep working. For the vendor's support alone.",
    args: {
      organizationId: t.arg.id({ required: true, description: 'The `id` of the organization.' }),
      enabled: t.arg.boolean({ required: true, description: 'Whether keys can be generated and rotated.' }),
    },
    resolve: (_root, { organizationId, enabled }, ctx) => supportSetApiKeysEnabled(ctx, organizationId, enabled),
  }),
}))
