import DataLoader from 'dataloader'
import { builder, type RequestCtx } from '../graphql/builder.ts'
import { ApiKeyType } from './api-key.graphql.ts'
import {
  type ApiKeyUsage,
  type RecentUse,
  recentUse,
  type UsageUnit,
  type UseCount,
  usageOfKeys,
} from './usage-read.ts'

const UsageUnitType = builder.enumType('UsageUnit', { values: ['HOUR', 'DAY'] as const })

const ApiKeyUsageType = builder.objectRef<ApiKeyUsage>('ApiKeyUsage').implement({
  description: 'The calls with a key in one hour or one day (UTC). Up to 5 seconds behind.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When the hour or the day began.' }),
    calls: t.exposeInt('calls', { description: 'Calls that were accepted.' }),
    errors: t.exposeInt('errors', {
      description:
        'Calls that were refused: the key had ended, was over its rate limit, or its rules did not allow them.',
    }),
  }),
})

const UseCountType = builder.objectRef<UseCount>('UseCount').implement({
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Empty: it gave none. `…`: all that there was no room for.' }),
    calls: t.exposeInt('calls'),
  }),
})

const ApiKeyRecentUseType = builder.objectRef<RecentUse>('ApiKeyRecentUse').implement({
  description: 'The last 24 hours, from the beginning of an hour: who would miss the key. The most frequent first.',
  fields: (t) => ({
    calls: t.exposeInt('calls'),
    errors: t.exposeInt('errors'),
    addresses: t.expose('addresses', { type: [UseCountType] }),
    userAgents: t.expose('userAgents', { type: [UseCountType] }),
    operations: t.expose('operations', { type: [UseCountType] }),
  }),
})

builder.objectField(ApiKeyType, 'usage', (t) =>
  t.field({
    type: [ApiKeyUsageType],
    description: 'The oldest first; hours and days without a call are left out. Days go back 90 days, hours 48 hours.',
    args: {
      since: t.arg({ type: 'DateTime', description: 'Absent: as far back as there is any.' }),
      by: t.arg({ type: UsageUnitType, defaultValue: 'DAY' }),
    },
    resolve: (key, { since, by }, ctx) => usageLoader(ctx, since ?? null, by ?? 'DAY').load(key.id),
  }),
)

builder.objectField(ApiKeyType, 'recentUse', (t) =>
  t.field({ type: ApiKeyRecentUseType, resolve: (key, _args, ctx) => recentUse(ctx, key.id) }),
)

const loaders = new WeakMap<RequestCtx, Map<string, DataLoader<string, ApiKeyUsage[]>>>()

/** All keys of a request that are asked the same are asked in one query. */
function usageLoader(ctx: RequestCtx, since: number | null, by: UsageUnit): DataLoader<string, ApiKeyUsage[]> {
  const ofRequest = loaders.get(ctx) ?? new Map<string, DataLoader<string, ApiKeyUsage[]>>()
  loaders.set(ctx, ofRequest)
  const question = `${since} ${by}`
  const loader = ofRequest.get(question) ?? new DataLoader((ids) => usageOfKeys(ctx, ids, { since, by }))
  ofRequest.set(question, loader)
  return loader
}
