import { ActorType } from '../../audit/audit-event.graphql.ts'
import { ADMIN_ONLY, EVERY_ACCESS } from '../../caller/key-rules.ts'
import { isPaused, UNTIL_RESUMED } from '../../caller/verify-key.ts'
import { builder } from '../../graphql/builder.ts'
import { range } from '../../graphql/domain.ts'
import { plainFields } from '../../graphql/plain-fields.ts'
import { ApiKeyType } from '../api-key.graphql.ts'
import { MAX_LISTED } from '../usage/read-usage.ts'
import { UsageCountType } from '../usage/usage.graphql.ts'
import {
  MAX_PAUSE_SECONDS,
  pauseApiKey,
  type RefusedWhilePaused,
  refusedWhilePaused,
  resumeApiKey,
} from './pause-keys.ts'

const RefusedWhilePausedType = builder.objectRef<RefusedWhilePaused>('ApiKeyRefusedWhilePaused').implement({
  access: ['READ_ONLY'],
  description:
    'The calls of the last 48 hours that were refused since a key was paused, up to 7.5 seconds late. In each hour each process lists 20 of a kind.',
  fields: (t) => ({
    ...plainFields(t, {
      'calls: Int!': 'How many calls were refused because it is paused.',
      'lastAt: DateTime': 'The last of them. Null: none in the last 48 hours.',
      'otherAddressCalls: Int!': 'Calls from IP addresses that are not listed.',
      'otherUserAgentCalls: Int!': 'Calls with user agents that are not listed.',
    }),
    addresses: t.expose('addresses', {
      cost: { maxItems: MAX_LISTED },
      type: [UsageCountType],
      description: 'The IP addresses that they came from, the most frequent first, at most 100.',
    }),
    userAgents: t.expose('userAgents', {
      cost: { maxItems: MAX_LISTED },
      type: [UsageCountType],
      description: 'Their `User-Agent` headers, the most frequent first, at most 100.',
    }),
  }),
})

builder.objectFields(ApiKeyType, (t) => ({
  paused: t.boolean({
    access: EVERY_ACCESS,
    description: 'Whether it is paused, and refused with `API_KEY_PAUSED`.',
    resolve: (key, _args, ctx) => isPaused(key, ctx.now()),
  }),
  pausedUntil: t.field({
    access: EVERY_ACCESS,
    type: 'DateTime',
    nullable: true,
    description: 'When it is accepted again by itself. Null: it is not paused, or it is until somebody resumes it.',
    resolve: (key, _args, ctx) =>
      isPaused(key, ctx.now()) && key.pausedUntil !== UNTIL_RESUMED ? key.pausedUntil : null,
  }),
  pausedAt: t.field({
    access: EVERY_ACCESS,
    type: 'DateTime',
    nullable: true,
    description: 'Since when it is paused. Null: it is not.',
    resolve: (key, _args, ctx) => (isPaused(key, ctx.now()) ? key.pausedAt : null),
  }),
  pausedBy: t.field({
    access: ['READ_ONLY'],
    type: ActorType,
    nullable: true,
    description: 'The person or key that paused it, or the command line, with the name of that time. Null: it is not.',
    resolve: ({ pausedByKind: kind, pausedById: id, pausedByName: name, pausedUntil }, _args, ctx) =>
      isPaused({ pausedUntil }, ctx.now()) && kind !== null ? { kind, id, name: name ?? '' } : null,
  }),
  refusedWhilePaused: t.field({
    access: ['READ_ONLY'],
    cost: { own: 100 },
    type: RefusedWhilePausedType,
    nullable: true,
    description:
      'Who was refused since it was paused, within the last 48 hours: what would stop if it were revoked. Of a longer pause, `usage` by day has the number of refused calls as `errors`. Null: it is not paused.',
    resolve: (key, _args, ctx) => refusedWhilePaused(ctx, key),
  }),
}))

builder.mutationFields((t) => ({
  pauseApiKey: t.field({
    access: ADMIN_ONLY,
    effect: 'ENDS_ACCESS',
    type: ApiKeyType,
    description:
      'Pauses a key: it is refused at once with `API_KEY_PAUSED`, until it is resumed, or until the seconds are over. The safe try before a revoke. For an Admin or a key that may manage keys, also where API keys are disabled.',
    args: {
      id: t.arg.id({
        required: true,
        description: 'The `id` of the key. One that is paused already gets the new end.',
      }),
      seconds: t.arg.int({
        ...range(1, MAX_PAUSE_SECONDS, 'seconds; leave it out to pause the key until it is resumed'),
        description:
          'After this time it is accepted again by itself: 1 to 31536000, which is a year. Absent: until it is resumed.',
      }),
    },
    resolve: (_root, { id, seconds }, ctx) => pauseApiKey(ctx, id, seconds),
  }),
  resumeApiKey: t.field({
    access: ADMIN_ONLY,
    effect: 'WRITES',
    type: ApiKeyType,
    description:
      'Resumes a paused key: it is accepted at once. One that is not paused stays as it is. A key resumes none that is less restricted than itself (FORBIDDEN). For an Admin or a key that may manage keys.',
    args: { id: t.arg.id({ required: true, description: 'The `id` of the key.' }) },
    resolve: (_root, { id }, ctx) => resumeApiKey(ctx, id),
  }),
}))
