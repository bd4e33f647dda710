import { ADMIN_ONLY, EVERY_ACCESS, keyRules } from '../../caller/key-rules.ts'
import { DeviceType } from '../../devices/device.graphql.ts'
import { devicesByIds } from '../../devices/stored-device.ts'
import { builder } from '../../graphql/builder.ts'
import { inputArg } from '../../graphql/domain.ts'
import { load } from '../../graphql/loaders.ts'
import { MAX_NETWORKS } from '../../lib/network.ts'
import { ApiKeyType } from '../api-key.graphql.ts'
import { ApiKeyAccessType, ownRuleFields } from './access-type.graphql.ts'
import { type OwnRulesInput, ownRulesAfter } from './own-rules.ts'
import { updateApiKey } from './update.ts'

builder.objectFields(ApiKeyType, (t) => ({
  access: t.field({
    access: EVERY_ACCESS,
    type: ApiKeyAccessType,
    description: 'How much it may do.',
    resolve: ({ rules }) => keyRules(rules).access,
  }),
  deviceId: t.id({
    access: EVERY_ACCESS,
    nullable: true,
    description: 'The only device that it checks in and reads. Null: it is not bound to a device.',
    resolve: ({ rules }) => keyRules(rules).deviceId ?? null,
  }),
  device: t.field({
    access: EVERY_ACCESS,
    cost: { own: 1 },
    type: DeviceType,
    nullable: true,
    description:
      'The device of `deviceId`. Null: it is not bound to a device, or that device has been deleted; then it can check in nothing.',
    resolve: ({ rules }, _args, ctx) => {
      const { deviceId } = keyRules(rules)
      return deviceId === undefined ? null : load(ctx, 'device of key', deviceId, (ids) => devicesByIds(ctx, ids))
    },
  }),
  allowedNetworks: t.stringList({
    access: EVERY_ACCESS,
    cost: { maxItems: MAX_NETWORKS },
    description:
      'The networks that it is accepted from, beside those of the `policy`: both must allow an address. Empty: any.',
    resolve: ({ rules }) => [...(keyRules(rules).ownNetworks?.list ?? [])],
  }),
  notBefore: t.field({
    access: EVERY_ACCESS,
    type: 'DateTime',
    nullable: true,
    description: 'When it is accepted for the first time. Null: since it was generated.',
    resolve: ({ rules }) => keyRules(rules).notBefore ?? null,
  }),
  requestsPerSecond: t.int({
    access: EVERY_ACCESS,
    nullable: true,
    description:
      'Its own limit of requests in a second, beside the limit of the portal. Null: only that of the portal.',
    resolve: ({ rules }) => keyRules(rules).requestsPerSecond ?? null,
  }),
  requestsPerDay: t.int({
    access: EVERY_ACCESS,
    nullable: true,
    description:
      'Its own limit of requests in a day of UTC, counted by each process of the portal, or by all together where they share a Valkey. Null: none.',
    resolve: ({ rules }) => keyRules(rules).requestsPerDay ?? null,
  }),
}))

const UpdateApiKeyInput = builder.inputType('UpdateApiKeyInput', {
  description: 'Changes of a key. A field that is absent stays, null clears it.',
  fields: (t) => ({
    access: t.field({ type: ApiKeyAccessType, description: 'How much it may do. Null: ADMIN.' }),
    deviceId: t.id({
      description:
        'With the access CHECK_IN: the only device that it checks in and reads. Null: any. Another access clears it.',
    }),
    ...ownRuleFields(t, 'Null'),
  }),
})

builder.mutationField('updateApiKey', (t) =>
  t.field({
    access: ADMIN_ONLY,
    effect: 'WRITES',
    type: ApiKeyType,
    description:
      'Narrows or widens a key; its secret stays, and the change holds at once. A key that is restricted itself widens none (FORBIDDEN). For an Admin or a key that may manage keys.',
    args: {
      id: t.arg.id({ required: true, description: 'The `id` of the key.' }),
      input: inputArg(t.arg, UpdateApiKeyInput, 'What is to change.', (input: OwnRulesInput) =>
        ownRulesAfter({}, input),
      ),
    },
    resolve: (_root, { id, input }, ctx) => updateApiKey(ctx, id, input),
  }),
)
