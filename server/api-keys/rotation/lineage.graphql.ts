import { builder } from '../../graphql/builder.ts'
import { listType, pageArgs } from '../../graphql/list.ts'
import { ApiKeyType } from '../api-key.graphql.ts'
import { isExpired } from '../expiry/expiry.ts'
import { type ApiKeyDescendant, descendantsOf } from './lineage.ts'

/** Flat, and not an `ApiKey`: lists of keys inside lists of keys could be nested without limit. */
const ApiKeyDescendantType = builder.objectRef<ApiKeyDescendant>('ApiKeyDescendant').implement({
  description: 'A key that another key has generated, directly or through others. `apiKey` has its details.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the key.' }),
    label: t.exposeString('label', { description: 'What the key is for.' }),
    prefix: t.exposeString('prefix', { description: 'The first ten characters of the secret, to tell keys apart.' }),
    parentId: t.exposeID('parentId', {
      description:
        'The key that generated it. If that key no longer exists, its nearest ancestor that does: the first one, or one in this list.',
    }),
    expired: t.boolean({
      description: 'Whether it has expired and is refused.',
      resolve: (key, _args, ctx) => isExpired(key, ctx.now()),
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The last call that was accepted, up to 7.5 seconds late. Null: it was never used.',
    }),
    lastUsedIp: t.exposeString('lastUsedIp', {
      nullable: true,
      description: 'The IP address of the last accepted call. Null: it was never used.',
    }),
    lastUsedUserAgent: t.exposeString('lastUsedUserAgent', {
      nullable: true,
      description: 'The `User-Agent` header of the last accepted call. Null: it was never used.',
    }),
    lastUsedOperation: t.exposeString('lastUsedOperation', {
      nullable: true,
      description: 'The operation of the last call that had one. Null: there was none.',
    }),
  }),
})

builder.objectField(ApiKeyType, 'descendants', (t) =>
  t.field({
    type: listType('ApiKeyDescendantList', ApiKeyDescendantType, 'descendants'),
    description:
      'The keys that it generated, directly or through others, the oldest first: what revoking it with `includeDescendants` revokes as well.',
    args: pageArgs(t.arg),
    resolve: ({ id }, args, ctx) => descendantsOf(ctx, id, args),
  }),
)
