import { ActorType } from '../audit/audit-event.graphql.ts'
import { builder } from '../graphql/builder.ts'
import { costs } from '../graphql/cost.ts'
import { checkedBy, text } from '../graphql/domain.ts'
import { LIMITS } from '../limits.ts'
import { OrganizationType } from '../organizations/organization.graphql.ts'
import { ApiKeyAccessType, OWN_RULES } from './access/access-type.graphql.ts'
import { type ApiKey, activeApiKeyCount, findApiKey, renameApiKey } from './api-key.ts'
import { setApiKeysEnabled, supportSetApiKeysEnabled } from './feature-switch.ts'
import { checkNewKey, type GeneratedApiKey, generateApiKey, type NewKey } from './generate.ts'
import { apiKeysHeldSince } from './held-since.ts'
import { type RevokedApiKeys, revokeApiKey } from './revoke.ts'

export const ApiKeyType = builder.objectRef<ApiKey>('ApiKey').implement({
  description:
    'Gives a script access to the organization, with the rights of an Admin unless less was chosen (`access`). Its secret is shown once, when it is generated.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'It reveals nothing about the secret, and may be shown and logged.' }),
    label: t.exposeString('label', { description: 'What the key is for; several keys may have the same.' }),
    prefix: t.exposeString('prefix', { description: 'The first ten characters of the secret, to tell keys apart.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was generated.' }),
    createdBy: t.field({
      type: ActorType,
      description: 'The person or key that generated it, or the command line, with the name of that time.',
      resolve: (key) => ({ kind: key.createdByKind, id: key.createdById, name: key.createdByName }),
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The last call that was accepted, up to 7.5 seconds late. Null: it was never used.',
    }),
    lastUsedIp: t.exposeString('lastUsedIp', {
      nullable: true,
      description: 'The IP address of the last accepted call. Null: it was never used.',
    }),
    lastUsedUserAgent: t.exposeString('lastUsedUserAgent', {
      nullable: true,
      description:
        'The `User-Agent` header of the last accepted call, at most 200 characters; empty when there was none. Null: it was never used.',
    }),
    lastUsedOperation: t.exposeString('lastUsedOperation', {
      nullable: true,
      description:
        'The operation of the last call that had one: its name, or else its first fields. Null: there was none.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it expires: from then on it is refused. Null: it is accepted until it is revoked.',
    }),
  }),
})

export const GeneratedApiKeyType = builder.objectRef<GeneratedApiKey>('GeneratedApiKey').implement({
  description: 'A new key with its secret, which is shown nowhere else.',
  fields: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyType, description: 'The key, as lists show it from now on.' }),
    secret: t.exposeString('secret', {
      description: 'What to send in the `api-secret` header. Store it now: the portal keeps only a hash of it.',
    }),
  }),
})

export const RevokedApiKeysType = builder.objectRef<RevokedApiKeys>('RevokedApiKeys').implement({
  description: 'Keys that are gone for good: no request that starts from now on is accepted with one of them.',
  fields: (t) => ({
    ids: t.exposeIDList('ids', {
      ...costs({ maxItems: LIMITS.stored_keys }),
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

builder.objectField(OrganizationType, 'activeApiKeyCount', (t) =>
  t.int({
    ...costs({ cost: 8 }),
    description:
      'How many keys are active: those that have not expired, paused ones too. As many count against the maximum. For an Admin, a key or support.',
    resolve: (organization, _args, ctx) => activeApiKeyCount(ctx, organization.id),
  }),
)

builder.objectField(OrganizationType, 'apiKeysHeldSince', (t) =>
  t.field({
    ...costs({ cost: 2 }),
    type: 'DateTime',
    nullable: true,
    description:
      'Since when no key is accepted (`KEYS_HELD`), in any organization: the database was restored, and revocations may be missing. Keys can be revoked meanwhile. Keys are accepted again when the revocations are found, or when the operator decides. Null: keys are accepted. For an Admin, a key or support.',
    resolve: (organization, _args, ctx) => apiKeysHeldSince(ctx, organization.id),
  }),
)

builder.queryField('apiKey', (t) =>
  t.field({
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
        'What the key is for, 1 to 80 characters. Absent: one with the time in it, which a policy may refuse.',
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
    allowedNetworks: t.stringList({
      ...OWN_RULES.networks,
      description:
        'Addresses and networks that it is accepted from, such as `10.0.0.0/8`; at most 100. Absent or empty: any.',
    }),
    notBefore: t.field({
      type: 'DateTime',
      description: 'When it is accepted for the first time. Absent: at once.',
    }),
    requestsPerSecond: t.int({
      ...OWN_RULES.requestsPerSecond,
      description: 'Its own limit of requests in a second, 1 to 10,000. Absent: only that of the portal.',
    }),
    requestsPerDay: t.int({
      ...OWN_RULES.requestsPerDay,
      description: 'Its own limit of requests in a day of UTC, 1 to 1,000,000,000. Absent: none.',
    }),
  }),
})

builder.mutationField('generateApiKey', (t) =>
  t.field({
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
)

builder.mutationField('renameApiKey', (t) =>
  t.field({
    type: ApiKeyType,
    description: 'Changes the label of a key; its secret stays. For an Admin or a key that may manage keys.',
    args: {
      id: t.arg.id({ required: true, description: 'The `id` of the key.' }),
      label: t.arg.string({ ...text(), required: true, description: '1 to 80 characters.' }),
    },
    resolve: (_root, { id, label }, ctx) => renameApiKey(ctx, id, label),
  }),
)

builder.mutationField('revokeApiKey', (t) =>
  t.field({
    ...costs({ cost: 200 }),
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
        ...text(200),
        description: 'Why, 1 to 200 characters: shown with the revoked key and in the audit log.',
      }),
    },
    resolve: (_root, { id, includeDescendants, reason }, ctx) =>
      revokeApiKey(ctx, id, { includeDescendants: includeDescendants ?? false, reason }),
  }),
)

builder.mutationField('setApiKeysEnabled', (t) =>
  t.field({
    ...costs({ cost: 500 }),
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
    resolve: (_root, { enabled, revokeActiveKeys }, ctx) =>
      setApiKeysEnabled(ctx, enabled, { revokeActiveKeys: revokeActiveKeys ?? false }),
  }),
)

builder.mutationField('supportSetApiKeysEnabled', (t) =>
  t.field({
    type: OrganizationType,
    description:
      "Enables or disables API keys for any organization. Active keys keep working. For the vendor's support alone.",
    args: {
      organizationId: t.arg.id({ required: true, description: 'The `id` of the organization.' }),
      enabled: t.arg.boolean({ required: true, description: 'Whether keys can be generated and rotated.' }),
    },
    resolve: (_root, { organizationId, enabled }, ctx) => supportSetApiKeysEnabled(ctx, organizationId, enabled),
  }),
)
