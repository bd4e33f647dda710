import DataLoader from 'dataloader'
import { builder, type RequestCtx } from '../../graphql/builder.ts'
import { costs } from '../../graphql/cost.ts'
import { DAY } from '../../lib/clock.ts'
import { ApiKeyType } from '../api-key.graphql.ts'
import {
  type ApiKeyUsage,
  DAYS_KEPT_MS,
  MOST_LISTED,
  type RecentUsage,
  recentUsage,
  type UsageCount,
  type UsageUnit,
  usageOfKeys,
} from './read.ts'

const UsageUnitType = builder.enumType('UsageUnit', {
  description: 'Over which time calls are counted together, in UTC.',
  values: {
    HOUR: { description: 'By the hour, for the last 48 hours.' },
    DAY: { description: 'By the day, for the last 90 days.' },
  } as const,
})

const ApiKeyUsageType = builder.objectRef<ApiKeyUsage>('ApiKeyUsage').implement({
  description: 'The calls with a key in one hour or one day of UTC. Calls are counted up to 7.5 seconds late.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When this hour or day began.' }),
    calls: t.exposeInt('calls', { description: 'Calls that were accepted, whatever their result.' }),
    errors: t.exposeInt('errors', {
      description:
        'Calls that were refused: the key had expired, was over its rate limit, or its rules did not allow them.',
    }),
  }),
})

export const UsageCountType = builder.objectRef<UsageCount>('UsageCount').implement({
  description: 'How many calls had the same IP address, user agent or operation.',
  fields: (t) => ({
    value: t.exposeString('value', {
      nullable: true,
      description: 'The address, user agent or operation. Null: the calls gave none.',
    }),
    calls: t.exposeInt('calls', { description: 'How many calls.' }),
  }),
})

const ApiKeyRecentUsageType = builder.objectRef<RecentUsage>('ApiKeyRecentUsage').implement({
  description:
    'What a key did in the last 24 hours, counted from the beginning of an hour. In each hour each process lists 20 of a kind. Of each kind, the 100 most frequent are listed; calls with any other are counted apart.',
  fields: (t) => ({
    calls: t.exposeInt('calls', { description: 'Calls that were accepted.' }),
    errors: t.exposeInt('errors', { description: 'Calls that were refused.' }),
    addresses: t.expose('addresses', {
      ...costs({ maxItems: MOST_LISTED }),
      type: [UsageCountType],
      description: 'The IP addresses that calls came from, the most frequent first.',
    }),
    otherAddressCalls: t.exposeInt('otherAddressCalls', {
      description: 'Calls from IP addresses that are not listed.',
    }),
    userAgents: t.expose('userAgents', {
      ...costs({ maxItems: MOST_LISTED }),
      type: [UsageCountType],
      description: 'The `User-Agent` headers of calls, the most frequent first.',
    }),
    otherUserAgentCalls: t.exposeInt('otherUserAgentCalls', {
      description: 'Calls with user agents that are not listed.',
    }),
    operations: t.expose('operations', {
      ...costs({ maxItems: MOST_LISTED }),
      type: [UsageCountType],
      description: 'The operations of calls by their names, or else by their first fields, the most frequent first.',
    }),
    otherOperationCalls: t.exposeInt('otherOperationCalls', {
      description: 'Calls of operations that are not listed.',
    }),
  }),
})

builder.objectField(ApiKeyType, 'usage', (t) =>
  t.field({
    ...costs({ maxItems: DAYS_KEPT_MS / DAY, weight: 0.5 }),
    type: [ApiKeyUsageType],
    description: 'Its calls over time, the oldest first. Hours and days without a call are omitted.',
    args: {
      since: t.arg({
        type: 'DateTime',
        description: 'From the hour or day of this time on. Absent: as far back as calls are counted.',
      }),
      by: t.arg({ type: UsageUnitType, defaultValue: 'DAY', description: 'By hours or by days.' }),
    },
    resolve: (key, { since, by }, ctx) => usageLoader(ctx, since ?? null, by ?? 'DAY').load(key.id),
  }),
)

builder.objectField(ApiKeyType, 'recentUsage', (t) =>
  t.field({
    ...costs({ cost: 100 }),
    type: ApiKeyRecentUsageType,
    description: 'Who uses it and for what: the last 24 hours.',
    resolve: (key, _args, ctx) => recentUsage(ctx, key.id),
  }),
)

const loaders = new WeakMap<RequestCtx, Map<string, DataLoader<string, ApiKeyUsage[]>>>()

/** One query for all keys of a request with the same arguments. */
function usageLoader(ctx: RequestCtx, since: number | null, by: UsageUnit): DataLoader<string, ApiKeyUsage[]> {
  const ofRequest = loaders.get(ctx) ?? new Map<string, DataLoader<string, ApiKeyUsage[]>>()
  loaders.set(ctx, ofRequest)
  const question = `${since} ${by}`
  const loader = ofRequest.get(question) ?? new DataLoader((ids) => usageOfKeys(ctx, ids, { since, by }))
  ofRequest.set(question, loader)
  return loader
}
