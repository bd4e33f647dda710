import { builder } from '../graphql/builder.ts'
import { costs } from '../graphql/cost.ts'
import { range, text, upTo } from '../graphql/domain.ts'
import { RevokedApiKeysType } from './api-key.graphql.ts'
import { revokeApiKeys } from './revoke-many.ts'

const RevokeApiKeysInput = builder.inputType('RevokeApiKeysInput', {
  description: 'Which keys: all conditions that are given must hold, and at least one must be given.',
  fields: (t) => ({
    ids: t.idList({
      ...upTo(500),
      description: 'These keys, 1 to 500. If one does not exist, none is revoked (NOT_FOUND).',
    }),
    unusedForDays: t.int({
      ...range(1, 36_500),
      description:
        'Keys without a call for this many days, 1 to 36,500. One that was never used counts from its creation.',
    }),
    createdById: t.id({ description: 'Keys that this person or key generated.' }),
    all: t.boolean({ description: 'Every key of the organization. Not to be combined with the others.' }),
  }),
})

builder.mutationField('revokeApiKeys', (t) =>
  t.field({
    ...costs({ cost: 500 }),
    type: RevokedApiKeysType,
    description:
      'Deletes many keys for good, all of them or none, in one entry of the audit log. For an Admin or a key that may manage keys.',
    args: {
      input: t.arg({ type: RevokeApiKeysInput, required: true, description: 'Which keys.' }),
      reason: t.arg.string({
        ...text(200),
        description: 'Why, 1 to 200 characters: shown with the revoked keys and in the audit log.',
      }),
    },
    resolve: (_root, { input, reason }, ctx) => revokeApiKeys(ctx, { ...input, reason }),
  }),
)
