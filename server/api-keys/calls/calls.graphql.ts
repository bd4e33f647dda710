import { builder } from '../../graphql/builder.ts'
import { plainFields } from '../../graphql/plain-fields.ts'
import { ApiKeyType } from '../api-key.graphql.ts'
import { RevokedApiKeyType } from '../revoked/revoked-key.graphql.ts'
import { MAX_CALLS } from './call-lines.ts'
import { type ListedCall, type RecentCalls, recentCalls } from './read-calls.ts'

const ApiKeyCallType = builder.objectRef<ListedCall>('ApiKeyCall').implement({
  access: ['READ_ONLY'],
  description: 'One call with a key. Its variables and its answer are not stored.',
  fields: (t) => ({
    ...plainFields(t, {
      'id: ID!': 'Tells it apart from other calls.',
      'at: DateTime!': 'When it was answered.',
      'status: Int!': 'The HTTP status of the answer.',
    }),
    operation: t.string({
      nullable: true,
      description:
        'The operation: its name, or else its first fields; at most 60 characters. Null: the call was refused before it was read, or the document is invalid.',
      resolve: ({ operation }) => operation ?? null,
    }),
    ip: t.exposeString('address', { description: 'The IP address that it came from.' }),
    durationMs: t.exposeFloat('ms', { description: 'How long it took until the answer was sent, in milliseconds.' }),
    code: t.string({
      nullable: true,
      description: 'The code of the first error in the answer, such as `API_KEY_EXPIRED`. Null: there was none.',
      resolve: ({ code }) => code ?? null,
    }),
  }),
})

const ApiKeyCallsType = builder.objectRef<RecentCalls>('ApiKeyCalls').implement({
  access: ['READ_ONLY'],
  description:
    'The last calls with a key in the last 24 hours, the newest first. They are listed a few seconds late; with more than 100 busy keys, later.',
  fields: (t) => ({
    accepted: t.expose('accepted', {
      cost: { maxItems: MAX_CALLS },
      type: [ApiKeyCallType],
      description: 'The last 100 calls that were accepted, whatever their result.',
    }),
    refused: t.expose('refused', {
      cost: { maxItems: MAX_CALLS },
      type: [ApiKeyCallType],
      description:
        'The last 100 calls that were refused: the key had expired, was over its rate limit, or its rules did not allow them.',
    }),
  }),
})

builder.objectField(ApiKeyType, 'recentCalls', (t) =>
  t.field({
    access: ['READ_ONLY'],
    cost: { own: 50 },
    type: ApiKeyCallsType,
    description: 'Its last calls, one by one.',
    resolve: (key, _args, ctx) => recentCalls(ctx, key.id),
  }),
)

builder.objectField(RevokedApiKeyType, 'recentCalls', (t) =>
  t.field({
    cost: { own: 50 },
    type: ApiKeyCallsType,
    description: 'Its last calls, for a day after it was revoked.',
    resolve: (key, _args, ctx) => recentCalls(ctx, key.id),
  }),
)
