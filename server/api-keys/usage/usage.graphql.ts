import { EVERY_ACCESS } from '../../caller/key-rules.ts'
import { builder } from '../../graphql/builder.ts'
import { describedEnum } from '../../graphql/described-enum.ts'
import { load } from '../../graphql/loaders.ts'
import { plainFields } from '../../graphql/plain-fields.ts'
import { DAY } from '../../lib/clock.ts'
import { ApiKeyType } from '../api-key.graphql.ts'
import {
  type ApiKeyUsage,
  DAYS_KEPT_MS,
  MAX_LISTED,
  type RecentUsage,
  recentUsage,
  type UsageCount,
  usageOfKeys,
} from './read-usage.ts'

const UsageUnitType = describedEnum('UsageUnit', 'Over which time calls are counted together, in UTC.', {
  HOUR: 'By the hour, for the last 48 hours.',
  DAY: 'By the day, for the last 90 days.',
})

export const ApiKeyUsageType = builder.objectRef<ApiKeyUsage>('ApiKeyUsage').implement({
  description: 'The calls with a key in one hour or one day of UTC. Calls are counted up to 7.5 seconds late.',
  fields: (t) =>
    plainFields(t, EVERY_ACCESS, {
      'at: DateTime!': 'When this hour or day began.',
      'calls: Int!': 'Calls that were accepted, whatever their result.',
      'errors: Int!':
        'Calls that were refused: the key had expired, was over its rate limit, or its rules did not allow them.',
    }),
})

export const UsageCountType = builder.objectRef<UsageCount>('UsageCount').implement({
  description: 'How many calls had the same IP address, user agent or operation.',
  fields: (t) =>
    plainFields(t, EVERY_ACCESS, {
      'value: String': 'The address, user agent or operation. Null: the calls gave none.',
      'calls: Int!': 'How many calls.',
    }),
})

const ApiKeyRecentUsageType = builder.objectRef<RecentUsage>('ApiKeyRecentUsage').implement({
  description:
    'What a key did in the last 24 hours, counted from the beginning of an hour. In each hour each process lists 20 of a kind. Of each kind, the 100 most frequent are listed; calls with any other are counted apart.',
  fields: (t) => ({
    ...plainFields(t, EVERY_ACCESS, {
      'calls: Int!': 'Calls that were accepted.',
      'errors: Int!': 'Calls that were refused.',
      'otherAddressCalls: Int!': 'Calls from IP addresses that are not listed.',
      'otherUserAgentCalls: Int!': 'Calls with user agents that are not listed.',
      'otherOperationCalls: Int!': 'Calls of operations that are not listed.',
    }),
    addresses: t.expose('addresses', {
      access: EVERY_ACCESS,
      cost: { maxItems: MAX_LISTED },
      type: [UsageCountType],
      description: 'The IP addresses that calls came from, the most frequent first.',
    }),
    userAgents: t.expose('userAgents', {
      access: EVERY_ACCESS,
      cost: { maxItems: MAX_LISTED },
      type: [UsageCountType],
      description: 'The `User-Agent` headers of calls, the most frequent first.',
    }),
    operations: t.expose('operations', {
      access: EVERY_ACCESS,
      cost: { maxItems: MAX_LISTED },
      type: [UsageCountType],
      description: 'The operations of calls by their names, or else by their first fields, the most frequent first.',
    }),
  }),
})

builder.objectFields(ApiKeyType, (t) => ({
  usage: t.field({
    access: EVERY_ACCESS,
    cost: { maxItems: DAYS_KEPT_MS / DAY, weight: 0.5 },
    type: [ApiKeyUsageType],
    description: 'Its calls over time, the oldest first. Hours and days without a call are omitted.',
    args: {
      since: t.arg({
        type: 'DateTime',
        description: 'From the hour or day of this time on. Absent: as far back as calls are counted.',
      }),
      by: t.arg({ type: UsageUnitType, defaultValue: 'DAY', description: 'By hours or by days.' }),
    },
    resolve: ({ id }, { since, by }, ctx) => {
      const options = { since: since ?? null, by: by ?? 'DAY' }
      return load(ctx, `usage ${options.since} ${options.by}`, id, (ids) => usageOfKeys(ctx, ids, options))
    },
  }),
  recentUsage: t.field({
    access: EVERY_ACCESS,
    cost: { own: 100 },
    type: ApiKeyRecentUsageType,
    description: 'Who uses it and for what: the last 24 hours.',
    resolve: (key, _args, ctx) => recentUsage(ctx, key.id),
  }),
}))
