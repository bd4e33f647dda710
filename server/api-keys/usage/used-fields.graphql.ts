import { builder } from '../../graphql/builder.ts'
import { accessNamed } from '../../graphql/field-access.ts'
import { plainFields } from '../../graphql/plain-fields.ts'
import { ApiKeyAccessType } from '../access/access-type.graphql.ts'
import { ApiKeyType } from '../api-key.graphql.ts'
import { type AccessSuggestion, type NarrowerAccess, suggestedAccess } from './suggested-access.ts'
import { type FieldUsage, usedFields } from './used-fields.ts'

const MAX_FIELDS = 100

const ApiKeyFieldUsageType = builder.objectRef<FieldUsage>('ApiKeyFieldUsage').implement({
  description: 'How many calls with a key requested a field of `Query` or `Mutation`.',
  fields: (t) =>
    plainFields(t, ['READ_ONLY'], {
      'field: String!': 'The name of the field, such as `devices`.',
      'calls: Int!': 'How many calls, each counted once, however often it requested the field.',
    }),
})

const NarrowerAccessType = builder.objectRef<NarrowerAccess>('NarrowerApiKeyAccess').implement({
  access: ['READ_ONLY'],
  description: 'What a narrower access would have refused in the last 30 days.',
  fields: (t) => ({
    access: t.expose('access', { type: ApiKeyAccessType, description: 'The narrower access.' }),
    refused: t.expose('refused', {
      cost: { maxItems: MAX_FIELDS },
      type: [ApiKeyFieldUsageType],
      description:
        'The fields of calls that it would have refused, the most frequent first; one below a root field as `Organization.activeApiKeyCount`. Empty: nothing.',
    }),
  }),
})

const AccessSuggestionType = builder.objectRef<AccessSuggestion>('ApiKeyAccessSuggestion').implement({
  access: ['READ_ONLY'],
  description:
    'How much a key needs, by the fields that its calls requested in the last 30 days. Which devices they were about is not recorded.',
  fields: (t) => ({
    access: t.expose('access', {
      type: ApiKeyAccessType,
      nullable: true,
      description:
        'The narrowest access that would have allowed all of its calls; its own if no narrower one would. Null: there is not enough usage yet, because there were no calls, or they are known for less than 7 days.',
    }),
    ...plainFields(t, {
      'since: DateTime!':
        'From when on its usage is known: 30 days ago, or less if usage is deleted earlier (`RETAIN_USAGE_DAYS`), when it was generated, or when the portal began to record fields.',
    }),
    narrower: t.expose('narrower', {
      cost: { maxItems: 3 },
      type: [NarrowerAccessType],
      description: 'Each access that includes less than its own, the least first.',
    }),
  }),
})

builder.objectFields(ApiKeyType, (t) => ({
  usedFields: t.field({
    access: ['READ_ONLY'],
    cost: { own: 20, maxItems: MAX_FIELDS },
    type: [ApiKeyFieldUsageType],
    description:
      'Which fields of `Query` and `Mutation` its calls requested in the last 30 days (UTC), the most frequent first. Aliases and fragments are resolved; introspection is not counted.',
    resolve: async (key, _args, ctx) =>
      (await usedFields(ctx, key.id)).fields.filter(({ field }) => !field.includes('.')),
  }),
  suggestedAccess: t.field({
    access: ['READ_ONLY'],
    cost: { own: 20 },
    type: AccessSuggestionType,
    description: 'The narrowest access that would have allowed what it did in the last 30 days.',
    resolve: (key, _args, ctx, { schema }) =>
      suggestedAccess(ctx, key, {
        retention: ctx.originConfig.retention,
        accessNamed: (field) => accessNamed(schema, field),
      }),
  }),
}))
