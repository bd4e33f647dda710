import { ApiKeyType } from '../api-keys/api-key.graphql.ts'
import { UNUSED_DAYS } from '../api-keys/list/states.ts'
import { ApiKeyUsageType } from '../api-keys/usage/usage.graphql.ts'
import { AuditEventType } from '../audit/audit-event.graphql.ts'
import { STORED_KINDS } from '../db/byte-budgets.ts'
import { builder } from '../graphql/builder.ts'
import { COST_OF_COUNT } from '../graphql/cost.ts'
import { describedEnum } from '../graphql/described-enum.ts'
import { plainFields } from '../graphql/plain-fields.ts'
import type { DeviceCounts } from './device-counts.ts'
import { DAYS } from './key-usage.ts'
import {
  BUSIEST,
  type BusyKey,
  EVENTS,
  type KeysOverview,
  type Overview,
  overview,
  type StoredBytes,
} from './overview.ts'

const NOT_YET = 'Null while the devices of a large organization are counted for the first time.'

const DeviceCountsType = builder.objectRef<DeviceCounts>('DeviceCounts').implement({
  description:
    'How many devices there are, by status. Above 5,000 they are counted beside requests, at most every five seconds; `countedAt` says when.',
  fields: (t) =>
    plainFields(t, ['READ_ONLY'], {
      'total: Int!': 'All devices of the organization.',
      'online: Int': `Devices that were ONLINE then. ${NOT_YET}`,
      'offline: Int': `Devices that were OFFLINE then. ${NOT_YET}`,
      'neverSeen: Int': `Devices that were NEVER_SEEN then. ${NOT_YET}`,
      'countedAt: DateTime': `When they were counted. ${NOT_YET}`,
    }),
})

const BusyApiKeyType = builder.objectRef<BusyKey>('BusyApiKey').implement({
  access: ['READ_ONLY'],
  description: `A key with its calls of the last ${DAYS} days.`,
  fields: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyType, description: 'The key.' }),
    ...plainFields(t, {
      'calls: Int!': 'Calls that were accepted.',
      'errors: Int!': 'Calls that were refused.',
    }),
  }),
})

const UsageOverviewType = builder.objectRef<NonNullable<KeysOverview['usage']>>('UsageOverview').implement({
  access: ['READ_ONLY'],
  description: `The usage of all keys together in the last ${DAYS} days of UTC. Those of more than 10 keys are added up beside requests, at most every five seconds; \`countedAt\` says when.`,
  fields: (t) => ({
    days: t.expose('days', {
      cost: { maxItems: DAYS },
      type: [ApiKeyUsageType],
      description: 'By day, the oldest first. Days without calls are left out, and so are keys that no longer exist.',
    }),
    busiest: t.expose('busiest', {
      cost: { maxItems: BUSIEST },
      type: [BusyApiKeyType],
      description: `The ${BUSIEST} keys with the most calls.`,
    }),
    countedAt: t.expose('at', { type: 'DateTime', description: 'When the calls were added up.' }),
  }),
})

const ApiKeyOverviewType = builder.objectRef<KeysOverview>('ApiKeyOverview').implement({
  access: ['READ_ONLY'],
  description: 'The keys of the organization at a glance. A key may be counted several times, such as a paused one.',
  fields: (t) => ({
    ...plainFields(t, {
      'active: Int!': 'Keys that have not expired: the state `ACTIVE`. A paused one is active too.',
      'paused: Int!': 'Keys that have not expired and are paused.',
      'expiring: Int!': 'Active keys that expire soon, as in the filter `EXPIRING`.',
      'expired: Int!': 'Keys that have expired and are still listed.',
      'unused: Int!': `Active keys without a call in ${UNUSED_DAYS} days. One that was never used counts from its creation.`,
      'lastUsedAt: DateTime': 'The last call with any of the keys. Null before the first.',
    }),
    usage: t.expose('usage', {
      type: UsageOverviewType,
      nullable: true,
      description: 'The calls of all keys. Null while those of many keys are added up for the first time.',
    }),
  }),
})

const StoredKindType = describedEnum('StoredKind', 'What is counted in bytes.', {
  AUDIT_LOG: 'The audit log of today, in UTC.',
  RECORDED_ANSWERS: 'Answers to mutations with an Idempotency-Key, each for 24 hours.',
  WAITING_DELIVERIES: 'Deliveries to webhooks that wait, as of half a minute ago.',
})

const StoredBytesType = builder.objectRef<StoredBytes>('StoredBytes').implement({
  access: ['READ_ONLY'],
  description:
    'How much the organization stores of what is limited in bytes. When there is nothing left, what would store more is refused with LIMIT_EXCEEDED; reading and revoking go on.',
  fields: (t) => ({
    kind: t.expose('kind', { type: StoredKindType, description: 'What is stored.' }),
    ...plainFields(t, {
      'bytes: Float!': 'How many bytes there are. What takes access away may exceed the maximum.',
      'maxBytes: Float!': 'How many there may be.',
      'resetAt: DateTime': 'When there are none again. Null: they are free as what is stored expires or is delivered.',
    }),
  }),
})

export const OverviewType = builder.objectRef<Overview>('Overview').implement({
  access: ['READ_ONLY'],
  description: 'The organization at a glance: its devices, its keys, and what happened last.',
  fields: (t) => ({
    devices: t.expose('devices', { type: DeviceCountsType, description: 'How many devices are online.' }),
    apiKeys: t.expose('apiKeys', {
      type: ApiKeyOverviewType,
      nullable: true,
      description: 'Its keys and their calls. Null for a Member.',
    }),
    auditEvents: t.expose('auditEvents', {
      cost: { maxItems: EVENTS },
      type: [AuditEventType],
      nullable: true,
      description: `The last ${EVENTS} entries of the audit log, the newest first. Null for a Member.`,
    }),
    storage: t.expose('storage', {
      cost: { maxItems: STORED_KINDS.length },
      type: [StoredBytesType],
      nullable: true,
      description: 'How much is stored of what is limited in bytes. Null for a Member.',
    }),
  }),
})

builder.queryField('overview', (t) =>
  t.field({
    access: ['READ_ONLY'],
    cost: { own: COST_OF_COUNT },
    type: OverviewType,
    description:
      'The organization at a glance. The numbers of large organizations are of a few seconds ago. A Member gets the devices alone.',
    resolve: (_root, _args, ctx) => overview(ctx),
  }),
)
