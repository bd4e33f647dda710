import { ADMIN_ONLY } from '../../caller/key-rules.ts'
import { builder, type RequestCtx } from '../../graphql/builder.ts'
import { range } from '../../graphql/domain.ts'
import { listType, pageArgs } from '../../graphql/list-type.ts'
import { load } from '../../graphql/loaders.ts'
import { plainFields } from '../../graphql/plain-fields.ts'
import { ApiKeyType, GeneratedApiKeyType } from '../api-key.graphql.ts'
import { type ApiKey, keysByIds } from '../api-key.ts'
import { isExpired } from '../expiry/expiry.ts'
import { type ApiKeyDescendant, descendantsOf } from './lineage.ts'
import { DEFAULT_OVERLAP_SECONDS, MAX_OVERLAP_SECONDS, rotateApiKey } from './rotate-key.ts'

/** Flat, and not an `ApiKey`: lists of keys inside lists of keys could be nested without limit. */
const ApiKeyDescendantType = builder.objectRef<ApiKeyDescendant>('ApiKeyDescendant').implement({
  access: ['READ_ONLY'],
  description: 'A key that another key has generated, directly or through others. `apiKey` has its details.',
  fields: (t) => ({
    ...plainFields(t, {
      'id: ID!': 'The id of the key.',
      'label: String!': 'What the key is for.',
      'prefix: String!': 'The first ten characters of the secret, to tell keys apart.',
      'parentId: ID!':
        'The key that generated it. If that key no longer exists, its nearest ancestor that does: the first one, or one in this list.',
      'lastUsedAt: DateTime': 'The last call that was accepted, up to 7.5 seconds late. Null: it was never used.',
      'lastUsedIp: String': 'The IP address of the last accepted call. Null: it was never used.',
      'lastUsedUserAgent: String': 'The `User-Agent` header of the last accepted call. Null: it was never used.',
      'lastUsedOperation: String': 'The operation of the last call that had one. Null: there was none.',
    }),
    expired: t.boolean({
      description: 'Whether it has expired and is refused.',
      resolve: (key, _args, ctx) => isExpired(key, ctx.now()),
    }),
  }),
})

builder.objectFields(ApiKeyType, (t) => ({
  descendants: t.field({
    access: ['READ_ONLY'],
    type: listType('ApiKeyDescendantList', ApiKeyDescendantType, 'descendants'),
    description:
      'The keys that it generated, directly or through others, the oldest first: what revoking it with `includeDescendants` revokes as well.',
    args: pageArgs(t.arg),
    resolve: ({ id }, args, ctx) => descendantsOf(ctx, id, args),
  }),
  replaces: t.field({
    access: ['READ_ONLY'],
    cost: { own: 1 },
    type: ApiKeyType,
    nullable: true,
    description: 'The key that it replaced by a rotation. Null when it replaced none, or that one no longer exists.',
    resolve: ({ replacesId }, _args, ctx) => keyOf(ctx, replacesId),
  }),
  replacedBy: t.field({
    access: ['READ_ONLY'],
    cost: { own: 1 },
    type: ApiKeyType,
    nullable: true,
    description: 'The key that replaced it by a rotation. Null when it was not replaced, or that one no longer exists.',
    resolve: ({ replacedById }, _args, ctx) => keyOf(ctx, replacedById),
  }),
}))

builder.mutationField('rotateApiKey', (t) =>
  t.field({
    access: ADMIN_ONLY,
    idOf: 'CALLING_KEY',
    effect: 'GIVES_SECRET',
    type: GeneratedApiKeyType,
    description:
      'Replaces a key by a new one with the same label and rules. The old one expires after the overlap; until then both are accepted, and the new one is rotated only with an overlap of 0 (CONFLICT otherwise). The new one of a paused key is paused until the same moment. For an Admin or a key that may manage keys, where API keys are enabled; a key with less than the access ADMIN rotates itself only, by its own `id`.',
    args: {
      id: t.arg.id({
        required: true,
        description: 'The `id` of the key to replace. One that is expired or replaced already is a CONFLICT.',
      }),
      overlapSeconds: t.arg.int({
        ...range(0, MAX_OVERLAP_SECONDS),
        defaultValue: DEFAULT_OVERLAP_SECONDS,
        description:
          'How long the old key is still accepted, in seconds: 0 to 604800, which is seven days. 0 revokes it at once.',
      }),
      expiresAt: t.arg({
        type: 'DateTime',
        description:
          'When the new key expires, after its `notBefore`. Absent: its lifetime is that of the old one, counted from now.',
      }),
    },
    resolve: (_root, { id, ...rotation }, ctx) => rotateApiKey(ctx, id, rotation),
  }),
)

const keyOf = (ctx: RequestCtx, id: string | null): Promise<ApiKey | null> | null =>
  id === null ? null : load(ctx, 'key of rotation', id, (ids) => keysByIds(ctx, ids))
