import { ADMIN_ONLY } from '../caller/key-rules.ts'
import { builder } from '../graphql/builder.ts'
import { text, upTo } from '../graphql/domain.ts'
import { RevokedApiKeysType } from './api-key.graphql.ts'
import { MAX_KEY_IDS } from './filter.ts'
import { keyConditions } from './list/list.graphql.ts'
import { MAX_REASON } from './revoke.ts'
import { revokeApiKeys } from './revoke-many.ts'

const RevokeApiKeysInput = builder.inputType('RevokeApiKeysInput', {
  description: 'Which keys: all conditions that are given must hold, and at least one must be given.',
  fields: (t) => ({
    ids: t.idList({
      ...upTo(MAX_KEY_IDS),
      description: 'These keys, 1 to 500. If one does not exist, none is revoked (NOT_FOUND).',
    }),
    ...keyConditions(t),
    all: t.boolean({ description: 'Every key of the organization. Not to be combined with the others.' }),
  }),
})

builder.mutationField('revokeApiKeys', (t) =>
  t.field({
    access: ADMIN_ONLY,
    effect: 'ENDS_ACCESS',
    cost: { own: 500 },
    type: RevokedApiKeysType,
    description:
      'Deletes many keys for good, all of them or none, in one entry of the audit log. For an Admin or a key that may manage keys.',
    args: {
      input: t.arg({ type: RevokeApiKeysInput, required: true, description: 'Which keys.' }),
      reason: t.arg.string({
        ...text(MAX_REASON),
        description: 'Why, 1 to 200 characters: shown with the revoked keys and in the audit log.',
      }),
    },
    resolve: (_root, { input, reason }, ctx) => revokeApiKeys(ctx, { ...input, reason }),
  }),
)
