import DataLoader from 'dataloader'
import { builder, type RequestCtx } from '../../graphql/builder.ts'
import { costs } from '../../graphql/cost.ts'
import { range } from '../../graphql/domain.ts'
import { ApiKeyType, GeneratedApiKeyType } from '../api-key.graphql.ts'
import type { ApiKey } from '../api-key.ts'
import { DEFAULT_OVERLAP_SECONDS, keysByIds, MAX_OVERLAP_SECONDS, rotateApiKey } from './rotate.ts'

builder.objectField(ApiKeyType, 'replaces', (t) =>
  t.field({
    ...costs({ cost: 1 }),
    type: ApiKeyType,
    nullable: true,
    description: 'The key that it replaced by a rotation. Null when it replaced none, or that one no longer exists.',
    resolve: ({ replacesId }, _args, ctx) => (replacesId === null ? null : otherSides(ctx).load(replacesId)),
  }),
)

builder.objectField(ApiKeyType, 'replacedBy', (t) =>
  t.field({
    ...costs({ cost: 1 }),
    type: ApiKeyType,
    nullable: true,
    description: 'The key that replaced it by a rotation. Null when it was not replaced, or that one no longer exists.',
    resolve: ({ replacedById }, _args, ctx) => (replacedById === null ? null : otherSides(ctx).load(replacedById)),
  }),
)

builder.mutationField('rotateApiKey', (t) =>
  t.field({
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

const loaders = new WeakMap<RequestCtx, DataLoader<string, ApiKey | null>>()

/** One query for everything that is requested at a time; never cached, since a mutation may come in between. */
function otherSides(ctx: RequestCtx): DataLoader<string, ApiKey | null> {
  const loader = loaders.get(ctx) ?? new DataLoader((ids: readonly string[]) => keysByIds(ctx, ids), { cache: false })
  loaders.set(ctx, loader)
  return loader
}
