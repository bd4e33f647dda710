import { builder } from '../../graphql/builder.ts'
import { costs } from '../../graphql/cost.ts'
import { ApiKeyType } from '../api-key.graphql.ts'
import { type FieldUsage, usedFields } from './used-fields.ts'

/** More than the schema has. */
const MOST_FIELDS = 100

export const ApiKeyFieldUsageType = builder.objectRef<FieldUsage>('ApiKeyFieldUsage').implement({
  description: 'How many calls with a key requested a field of `Query` or `Mutation`.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'The name of the field, such as `devices`.' }),
    calls: t.exposeInt('calls', {
      description: 'How many calls, each counted once, however often it requested the field.',
    }),
  }),
})

builder.objectField(ApiKeyType, 'usedFields', (t) =>
  t.field({
    ...costs({ cost: 20, maxItems: MOST_FIELDS }),
    type: [ApiKeyFieldUsageType],
    description:
      'Which fields of `Query` and `Mutation` its calls requested in the last 30 days (UTC), the most frequent first. Aliases and fragments are resolved; introspection is not counted.',
    resolve: async (key, _args, ctx) => (await usedFields(ctx, key.id)).fields,
  }),
)
