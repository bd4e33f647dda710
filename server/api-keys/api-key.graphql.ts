import { ActorType } from '../audit/audit-event.graphql.ts'
import { builder } from '../graphql/builder.ts'
import { listType, pageArgs } from '../graphql/list.ts'
import { OrganizationType } from '../organizations/organization.graphql.ts'
import { type ApiKey, activeApiKeyCount, findApiKey, listApiKeys, renameApiKey } from './api-key.ts'
import { setApiKeysEnabled, supportSetApiKeysEnabled } from './feature-switch.ts'
import { type GeneratedApiKey, generateApiKey } from './generate.ts'
import { type RevokedApiKeys, revokeApiKey } from './revoke.ts'

export const ApiKeyType = builder.objectRef<ApiKey>('ApiKey').implement({
  description:
    'Opens the organization to a script, with the rights of an Admin. Its secret is shown once, when it is generated.',
  fields: (t) => ({
    id: t.exposeID('id'),
    label: t.exposeString('label'),
    prefix: t.exposeString('start', { description: 'The first characters of the secret, to tell keys apart.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    createdBy: t.field({
      type: ActorType,
      description: 'The person or key that made it.',
      resolve: (key) => ({ kind: key.createdByKind, id: key.createdById, name: key.createdByName }),
    }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', nullable: true, description: 'Up to a few seconds old.' }),
    lastUsedIp: t.exposeString('lastUsedFrom', { nullable: true, description: 'The network address.' }),
    lastUsedUserAgent: t.exposeString('lastUsedAgent', {
      nullable: true,
      description: 'What the program called itself.',
    }),
    lastUsedOperation: t.exposeString('lastUsedFor', {
      nullable: true,
      description: 'The operation: its name, or the fields that it asked for.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From then on it is refused. Absent: it lives until it is revoked.',
    }),
  }),
})

export const GeneratedApiKeyType = builder.objectRef<GeneratedApiKey>('GeneratedApiKey').implement({
  description: 'The only place where a secret is ever shown.',
  fields: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyType }),
    secret: t.exposeString('secret', { description: 'Send it in the `api-secret` header. Store it now.' }),
  }),
})

export const RevokedApiKeysType = builder.objectRef<RevokedApiKeys>('RevokedApiKeys').implement({
  fields: (t) => ({
    ids: t.exposeIDList('ids'),
    revokedAt: t.expose('revokedAt', { type: 'DateTime' }),
  }),
})

builder.objectField(OrganizationType, 'activeApiKeyCount', (t) =>
  t.int({
    description: 'How many keys are active now. For an Admin, a key or support.',
    resolve: (organization, _args, ctx) => activeApiKeyCount(ctx, organization.id),
  }),
)

const ApiKeyFilterInput = builder.inputType('ApiKeyFilter', {
  description: 'All that is given must hold.',
  fields: (t) => ({
    ids: t.idList({ description: '1 to 500.' }),
    unusedForDays: t.int({ description: 'Not used for so many days; never used: since it was made.' }),
    createdById: t.id({ description: 'Made by this person or key.' }),
  }),
})

builder.queryField('apiKeys', (t) =>
  t.field({
    type: listType('ApiKeyList', ApiKeyType),
    description: 'The keys of the organization, the newest first. For an Admin or a key, also with the feature off.',
    args: { ...pageArgs(t.arg), filter: t.arg({ type: ApiKeyFilterInput }) },
    resolve: (_root, args, ctx) => listApiKeys(ctx, args),
  }),
)

builder.queryField('apiKey', (t) =>
  t.field({
    type: ApiKeyType,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, ctx) => findApiKey(ctx, id),
  }),
)

const GenerateApiKeyInput = builder.inputType('GenerateApiKeyInput', {
  fields: (t) => ({
    label: t.string({ description: '1 to 80 characters: what the key is for.' }),
    expiresAt: t.field({ type: 'DateTime', description: 'When it ends by itself. Absent: never.' }),
  }),
})

builder.mutationField('generateApiKey', (t) =>
  t.field({
    type: GeneratedApiKeyType,
    description: 'Makes a key that is active at once. Without input: a label of its own making, and no end.',
    args: { input: t.arg({ type: GenerateApiKeyInput }) },
    resolve: (_root, { input }, ctx) => generateApiKey(ctx, input ?? {}),
  }),
)

builder.mutationField('renameApiKey', (t) =>
  t.field({
    type: ApiKeyType,
    args: { id: t.arg.id({ required: true }), label: t.arg.string({ required: true }) },
    resolve: (_root, { id, label }, ctx) => renameApiKey(ctx, id, label),
  }),
)

builder.mutationField('revokeApiKey', (t) =>
  t.field({
    type: RevokedApiKeysType,
    description: 'Deletes a key for good. Everything that uses it loses access at once.',
    args: {
      id: t.arg.id({ required: true }),
      includeDescendants: t.arg.boolean({
        defaultValue: false,
        description: 'Also the keys that it made, directly or through others.',
      }),
    },
    resolve: (_root, { id, includeDescendants }, ctx) =>
      revokeApiKey(ctx, id, { includeDescendants: includeDescendants ?? false }),
  }),
)

builder.mutationField('setApiKeysEnabled', (t) =>
  t.field({
    type: OrganizationType,
    description:
      'Switches the feature for the organization. Active keys go on working, unless they are revoked in this step.',
    args: {
      enabled: t.arg.boolean({ required: true }),
      revokeActiveKeys: t.arg.boolean({ defaultValue: false, description: 'When switching off: revoke every key.' }),
    },
    resolve: (_root, { enabled, revokeActiveKeys }, ctx) =>
      setApiKeysEnabled(ctx, enabled, { revokeActiveKeys: revokeActiveKeys ?? false }),
  }),
)

builder.mutationField('supportSetApiKeysEnabled', (t) =>
  t.field({
    type: OrganizationType,
    description: "Switches the feature for any organization. For the vendor's support alone.",
    args: { organizationId: t.arg.id({ required: true }), enabled: t.arg.boolean({ required: true }) },
    resolve: (_root, { organizationId, enabled }, ctx) => supportSetApiKeysEnabled(ctx, organizationId, enabled),
  }),
)
