import { builder, type RateLimitState } from './builder.ts'

const RateLimitType = builder.objectRef<RateLimitState & { cost: number }>('RateLimit').implement({
  description: 'How much the caller may still ask for.',
  fields: (t) => ({
    limit: t.exposeInt('limit', { description: 'Requests until `resetAt`.' }),
    remaining: t.exposeInt('remaining'),
    resetAt: t.expose('resetAt', { type: 'DateTime' }),
    cost: t.exposeInt('cost', { description: 'What this operation costs, of 5,000 that one may cost.' }),
  }),
})

builder.queryField('rateLimit', (t) =>
  t.field({
    type: RateLimitType,
    nullable: true,
    description: 'Absent when limits are off.',
    resolve: (_root, _args, { rateLimit, cost }) => (rateLimit ? { ...rateLimit, cost } : null),
  }),
)
