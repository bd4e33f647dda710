import { builder } from '../graphql/builder.ts'
import { RevokedApiKeysType } from './api-key.graphql.ts'
import { revokeApiKeys } from './revoke-many.ts'

const RevokeApiKeysInput = builder.inputType('RevokeApiKeysInput', {
  description: 'Which keys: all that is given must hold. At least one.',
  fields: (t) => ({
    ids: t.idList({ description: '1 to 500. One that does not exist refuses the whole.' }),
    unusedForDays: t.int({ description: 'Not used for so many days; never used: since it was made.' }),
    createdById: t.id({ description: 'Made by this person or key.' }),
    all: t.boolean({ description: 'Every key of the organization. Stands alone.' }),
  }),
})

builder.mutationField('revokeApiKeys', (t) =>
  t.field({
    type: RevokedApiKeysType,
    description: 'Deletes many keys for good, all of them or none. Where no key is meant, the answer has no ids.',
    args: { input: t.arg({ type: RevokeApiKeysInput, required: true }) },
    resolve: (_root, { input }, ctx) => revokeApiKeys(ctx, input),
  }),
)
