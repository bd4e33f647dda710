import { ApiKeyAccessType } from '../api-keys/access/access-type.graphql.ts'
import { ApiKeyType } from '../api-keys/api-key.graphql.ts'
import { DeviceType } from '../devices/device.graphql.ts'
import { builder } from '../graphql/builder.ts'
import { describedEnum } from '../graphql/described-enum.ts'
import { accessNamed } from '../graphql/field-access.ts'
import { plainFields } from '../graphql/plain-fields.ts'
import { WebhookType } from '../webhooks/webhook.graphql.ts'
import { type Attention, type AttentionKey, type AttentionKind, KINDS, LISTED, needsAttention } from './attention.ts'
import { KEYS_COMPARED } from './key-attention.ts'
import { DAYS } from './key-usage.ts'
import { MAX_COUNTED } from './long-offline.ts'
import { OverviewType } from './overview.graphql.ts'

const AttentionKindType = describedEnum<AttentionKind>('AttentionKind', 'Why something needs attention.', {
  BACKUP_FAILED:
    'The last scheduled backup failed, or none was verified for twice the time after which one is due. For people who are Admins of an organization, not for keys.',
  BACKUP_MISSING:
    'No backups are scheduled (`BACKUP_DIR`), on SQLite, and the organization is older than a week. For people who are Admins of an organization, not for keys.',
  DATABASE_NEWER:
    'The database is newer than the process that answers: an upgrade is in progress, or a replica was left out. For people who are Admins of an organization, not for keys.',
  WEBHOOK_PAUSED: 'The portal has paused webhooks, as they cannot be reached. Not for a narrowed key.',
  API_KEY_REFUSED:
    'Keys that were refused at least ten times today and yesterday (UTC), in a tenth of their calls or more. Paused ones are left out.',
  API_KEY_EXPIRING: 'Keys in the state `EXPIRING` that are not replaced yet.',
  DEVICE_OFFLINE: `Enabled devices whose last check-in is more than a day and at most 30 days ago. At most ${MAX_COUNTED.toLocaleString('en')} are counted.`,
  API_KEY_TOO_BROAD: `Keys that did not need all that they may do: see \`suggestedAccess\`. Looked for among the ${KEYS_COMPARED} active keys with the most calls in ${DAYS} days, beside requests.`,
  API_KEY_UNUSED: 'Keys in the state `UNUSED`.',
})

const AttentionKeyType = builder.objectRef<AttentionKey>('AttentionApiKey').implement({
  access: ['READ_ONLY'],
  description: 'A key that needs attention.',
  fields: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyType, description: 'The key.' }),
    ...plainFields(t, {
      'refusedCalls: Int': 'With `API_KEY_REFUSED`: how many of its calls were refused today and yesterday.',
    }),
    suggestedAccess: t.expose('suggestedAccess', {
      type: ApiKeyAccessType,
      nullable: true,
      description: 'With `API_KEY_TOO_BROAD`: the narrowest access that would have allowed all of its calls.',
    }),
  }),
})

const AttentionType = builder.objectRef<Attention>('Attention').implement({
  access: ['READ_ONLY'],
  description: `Something that needs attention: how many there are, and the first ${LISTED} of them.`,
  fields: (t) => ({
    kind: t.expose('kind', { type: AttentionKindType, description: 'Why it needs attention.' }),
    ...plainFields(t, {
      'count: Int!': 'How many keys, devices or webhooks; 1 where it is none of these.',
      'since: DateTime': 'With `BACKUP_FAILED` and `BACKUP_MISSING`: the last verified backup. Null: there was none.',
    }),
    apiKeys: t.expose('apiKeys', {
      cost: { maxItems: LISTED },
      type: [AttentionKeyType],
      description: 'Those that were refused most, expire first, were called most, or are unused for longest.',
    }),
    devices: t.expose('devices', {
      cost: { maxItems: LISTED },
      type: [DeviceType],
      description: 'Those that went offline last.',
    }),
    webhooks: t.expose('webhooks', {
      cost: { maxItems: LISTED },
      type: [WebhookType],
      description: 'The newest first.',
    }),
  }),
})

builder.objectField(OverviewType, 'attention', (t) =>
  t.field({
    access: ['READ_ONLY'],
    cost: { own: 200, maxItems: KINDS.length },
    type: [AttentionType],
    description:
      'What needs attention, one entry for each kind, the most urgent first. Empty: nothing. A Member gets devices alone.',
    resolve: ({ apiKeys }, _args, ctx, { schema }) => {
      const { backups, retention } = ctx.originConfig
      return needsAttention(ctx, apiKeys, { backups, retention, accessNamed: (field) => accessNamed(schema, field) })
    },
  }),
)
