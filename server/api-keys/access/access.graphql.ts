import DataLoader from 'dataloader'
import { DeviceType } from '../../devices/device.graphql.ts'
import type { Device } from '../../devices/stored-device.ts'
import { builder, type RequestCtx } from '../../graphql/builder.ts'
import { costs } from '../../graphql/cost.ts'
import { checkedBy } from '../../graphql/domain.ts'
import { keyRules } from '../../key-rules.ts'
import { ApiKeyType } from '../api-key.graphql.ts'
import { ApiKeyAccessType, OWN_RULES } from './access-type.graphql.ts'
import { devicesOfKeys } from './bound-device.ts'
import { type OwnRulesInput, ownRulesAfter } from './own-rules.ts'
import { updateApiKey } from './update.ts'

builder.objectFields(ApiKeyType, (t) => ({
  access: t.field({
    type: ApiKeyAccessType,
    description: 'How much it may do.',
    resolve: ({ rules }) => keyRules(rules).access,
  }),
  deviceId: t.id({
    nullable: true,
    description: 'The only device that it checks in and reads. Null: it is not bound to a device.',
    resolve: ({ rules }) => keyRules(rules).deviceId ?? null,
  }),
  device: t.field({
    ...costs({ cost: 1 }),
    type: DeviceType,
    nullable: true,
    description:
      'The device of `deviceId`. Null: it is not bound to a device, or that device has been deleted; then it can check in nothing.',
    resolve: ({ rules }, _args, ctx) => {
      const { deviceId } = keyRules(rules)
      return deviceId === undefined ? null : boundDevices(ctx).load(deviceId)
    },
  }),
  allowedNetworks: t.stringList({
    ...costs({ maxItems: 100 }),
    description:
      'The networks that it is accepted from, beside those of the `policy`: both must allow an address. Empty: any.',
    resolve: ({ rules }) => [...(keyRules(rules).ownNetworks?.list ?? [])],
  }),
  notBefore: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When it is accepted for the first time. Null: since it was generated.',
    resolve: ({ rules }) => keyRules(rules).notBefore ?? null,
  }),
  requestsPerSecond: t.int({
    nullable: true,
    description:
      'Its own limit of requests in a second, beside the limit of the portal. Null: only that of the portal.',
    resolve: ({ rules }) => keyRules(rules).requestsPerSecond ?? null,
  }),
  requestsPerDay: t.int({
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
    allowedNetworks: t.stringList({
      ...OWN_RULES.networks,
      description:
        'Addresses and networks that it is accepted from, such as `10.0.0.0/8`; at most 100. Null or empty: any.',
    }),
    notBefore: t.field({ type: 'DateTime', description: 'When it is accepted for the first time. Null: at once.' }),
    requestsPerSecond: t.int({
      ...OWN_RULES.requestsPerSecond,
      description: 'Its own limit of requests in a second, 1 to 10,000. Null: only that of the portal.',
    }),
    requestsPerDay: t.int({
      ...OWN_RULES.requestsPerDay,
      description: 'Its own limit of requests in a day of UTC, 1 to 1,000,000,000. Null: none.',
    }),
  }),
})

builder.mutationField('updateApiKey', (t) =>
  t.field({
    type: ApiKeyType,
    description:
      'Narrows or widens a key; its secret stays, and the change holds at once. A key that is restricted itself widens none (FORBIDDEN). For an Admin or a key that may manage keys.',
    args: {
      id: t.arg.id({ required: true, description: 'The `id` of the key.' }),
      input: t.arg({
        ...checkedBy((input: OwnRulesInput) => ownRulesAfter({}, input)),
        type: UpdateApiKeyInput,
        required: true,
        description: 'What is to change.',
      }),
    },
    resolve: (_root, { id, input }, ctx) => updateApiKey(ctx, id, input),
  }),
)

const loaders = new WeakMap<RequestCtx, DataLoader<string, Device | null>>()

/** One query for all keys of a list; never cached, since a mutation may come in between. */
function boundDevices(ctx: RequestCtx): DataLoader<string, Device | null> {
  const loader =
    loaders.get(ctx) ?? new DataLoader((ids: readonly string[]) => devicesOfKeys(ctx, ids), { cache: false })
  loaders.set(ctx, loader)
  return loader
}
