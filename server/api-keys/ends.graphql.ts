import { builder } from '../graphql/builder.ts'
import { ApiKeyType } from './api-key.graphql.ts'
import type { ApiKey } from './api-key.ts'
import { isExpired, listWarnings } from './ends.ts'

builder.objectField(ApiKeyType, 'expired', (t) =>
  t.boolean({
    description: 'It has reached its end and is refused. 30 days later it is removed.',
    resolve: (key, _args, ctx) => isExpired(key, ctx.now()),
  }),
)

const ApiKeyWarningType = builder.objectRef<{ apiKey: ApiKey; daysLeft: number }>('ApiKeyWarning').implement({
  description: 'A key that comes near its end.',
  fields: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyType }),
    daysLeft: t.exposeInt('daysLeft', { description: 'Rounded up: 1 means within a day.' }),
  }),
})

builder.queryField('apiKeyWarnings', (t) =>
  t.field({
    type: [ApiKeyWarningType],
    description: 'The keys that end within 30 days and are not replaced, the soonest first. For an Admin or a key.',
    resolve: (_root, _args, ctx) => listWarnings(ctx),
  }),
)
