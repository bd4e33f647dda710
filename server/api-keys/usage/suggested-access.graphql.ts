import { builder } from '../../graphql/builder.ts'
import { costs } from '../../graphql/cost.ts'
import { ApiKeyAccessType } from '../access/access-type.graphql.ts'
import { ApiKeyType } from '../api-key.graphql.ts'
import { type AccessSuggestion, type NarrowerAccess, suggestedAccess } from './suggested-access.ts'
import { ApiKeyFieldUsageType, MOST_FIELDS } from './used-fields.graphql.ts'

const NarrowerAccessType = builder.objectRef<NarrowerAccess>('NarrowerApiKeyAccess').implement({
  description: 'What a narrower access would have refused in the last 30 days.',
  fields: (t) => ({
    access: t.expose('access', { type: ApiKeyAccessType, description: 'The narrower access.' }),
    refused: t.expose('refused', {
      ...costs({ maxItems: MOST_FIELDS }),
      type: [ApiKeyFieldUsageType],
      description:
        'The fields of calls that it would have refused, the most frequent first; one below a root field as `Organization.activeApiKeyCount`. Empty: nothing.',
    }),
  }),
})

const AccessSuggestionType = builder.objectRef<AccessSuggestion>('ApiKeyAccessSuggestion').implement({
  description:
    'How much a key needs, by the fields that its calls requested in the last 30 days. Which devices they were about is not recorded.',
  fields: (t) => ({
    access: t.expose('access', {
      type: ApiKeyAccessType,
      nullable: true,
      description:
        'The narrowest access that would have allowed all of its calls; its own if no narrower one would. Null: there is not enough usage yet, because there were no calls, or they are known for less than 7 days.',
    }),
    since: t.expose('since', {
      type: 'DateTime',
      description:
        'From when on its usage is known: 30 days ago, or less if usage is deleted earlier (`RETAIN_USAGE_DAYS`), when it was generated, or when the portal began to record fields.',
    }),
    narrower: t.expose('narrower', {
      ...costs({ maxItems: 3 }),
      type: [NarrowerAccessType],
      description: 'Each access that includes less than its own, the least first.',
    }),
  }),
})

builder.objectField(ApiKeyType, 'suggestedAccess', (t) =>
  t.field({
    ...costs({ cost: 20 }),
    type: AccessSuggestionType,
    description: 'The narrowest access that would have allowed what it did in the last 30 days.',
    resolve: (key, _args, ctx) => suggestedAccess(ctx, key, ctx.originConfig.retention),
  }),
)
