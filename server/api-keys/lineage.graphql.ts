import { builder } from '../graphql/builder.ts'
import { ApiKeyType } from './api-key.graphql.ts'
import { type ApiKeyDescendant, descendantsOf } from './lineage.ts'

const ApiKeyDescendantType = builder.objectRef<ApiKeyDescendant>('ApiKeyDescendant').implement({
  description: 'A key that another key has generated, directly or through others.',
  fields: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyType, description: 'The key.' }),
    parentId: t.exposeID('parentId', {
      description:
        'The key that generated it. Where that one is gone, the nearest above it that is still there: the first one, or one in this list.',
    }),
  }),
})

builder.objectField(ApiKeyType, 'descendants', (t) =>
  t.field({
    type: [ApiKeyDescendantType],
    description:
      'The keys that it generated, directly or through others, each behind its parent: what revoking it with `includeDescendants` revokes as well.',
    resolve: ({ id }, _args, ctx) => descendantsOf(ctx, id),
  }),
)
