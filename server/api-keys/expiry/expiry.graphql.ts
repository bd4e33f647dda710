import { EVERY_ACCESS } from '../../caller/key-rules.ts'
import { builder } from '../../graphql/builder.ts'
import { ApiKeyType } from '../api-key.graphql.ts'
import type { ApiKey } from '../api-key.ts'
import { isExpired, listExpiringKeys, MAX_LISTED } from './expiry.ts'

builder.objectField(ApiKeyType, 'expired', (t) =>
  t.boolean({
    access: EVERY_ACCESS,
    description: 'Whether it has expired and is refused. 30 days after its expiration it is deleted.',
    resolve: (key, _args, ctx) => isExpired(key, ctx.now()),
  }),
)

const ApiKeyWarningType = builder.objectRef<{ apiKey: ApiKey; daysLeft: number }>('ExpiringApiKey').implement({
  access: ['READ_ONLY'],
  description: 'A key that expires soon.',
  fields: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyType, description: 'The key.' }),
    daysLeft: t.exposeInt('daysLeft', { description: 'Days until it expires, rounded up: 1 means within a day.' }),
  }),
})

builder.queryField('expiringApiKeys', (t) =>
  t.field({
    access: ['READ_ONLY'],
    cost: { maxItems: MAX_LISTED },
    type: [ApiKeyWarningType],
    description:
      'The keys that expire soon (within 30 days, and within the last fifth of their lifetime) and are not replaced, the soonest first, at most 500. For an Admin or a key.',
    resolve: (_root, _args, ctx) => listExpiringKeys(ctx),
  }),
)
