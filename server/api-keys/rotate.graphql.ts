import DataLoader from 'dataloader'
import { builder, type RequestCtx } from '../graphql/builder.ts'
import { ApiKeyType, GeneratedApiKeyType } from './api-key.graphql.ts'
import type { ApiKey } from './api-key.ts'
import { DEFAULT_OVERLAP_SECONDS, keysByIds, rotateApiKey } from './rotate.ts'

builder.objectField(ApiKeyType, 'replaces', (t) =>
  t.field({
    type: ApiKeyType,
    nullable: true,
    description: 'The key in whose place it was put, while that one is still there.',
    resolve: ({ replacesId }, _args, ctx) => (replacesId === null ? null : otherSides(ctx).load(replacesId)),
  }),
)

builder.objectField(ApiKeyType, 'replacedBy', (t) =>
  t.field({
    type: ApiKeyType,
    nullable: true,
    description: 'The key that was put in its place, while that one is still there.',
    resolve: ({ replacedById }, _args, ctx) => (replacedById === null ? null : otherSides(ctx).load(replacedById)),
  }),
)

builder.mutationField('rotateApiKey', (t) =>
  t.field({
    type: GeneratedApiKeyType,
    description:
      'Puts a new key with the same label in the place of a key, which ends after the overlap. Until then both are accepted.',
    args: {
      id: t.arg.id({ required: true }),
      overlapSeconds: t.arg.int({
        defaultValue: DEFAULT_OVERLAP_SECONDS,
        description: '0 to 604800 (seven days); 0 revokes the old key at once.',
      }),
      expiresAt: t.arg({
        type: 'DateTime',
        description: 'The end of the new key. Absent: it lives as long as the old one was meant to.',
      }),
    },
    resolve: (_root, { id, ...rotation }, ctx) => rotateApiKey(ctx, id, rotation),
  }),
)

const loaders = new WeakMap<RequestCtx, DataLoader<string, ApiKey | null>>()

/** All that a request asks for at a time comes in one query; nothing is kept, since a mutation may come in between. */
function otherSides(ctx: RequestCtx): DataLoader<string, ApiKey | null> {
  const loader = loaders.get(ctx) ?? new DataLoader((ids: readonly string[]) => keysByIds(ctx, ids), { cache: false })
  loaders.set(ctx, loader)
  return loader
}
