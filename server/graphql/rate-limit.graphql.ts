import { EVERY_ACCESS } from '../caller/key-rules.ts'
import { builder, type RateLimitState } from './builder.ts'
import { MAX_COST } from './operation-limits.ts'
import { plainFields } from './plain-fields.ts'

/** A whole number with commas, such as 10,000. For a start: the first `toLocaleString` of a process loads locales for 25 ms. */
const grouped = (number: number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',')

const RateLimitType = builder.objectRef<RateLimitState & { cost: number }>('RateLimit').implement({
  description: 'How much the caller may still request. Each key and each person has a limit of their own.',
  fields: (t) =>
    plainFields(t, EVERY_ACCESS, {
      'limit: Int!': 'The number of points until `resetAt`. A request takes one, an expensive operation more.',
      'remaining: Int!': 'How many of them are left, after this request.',
      'resetAt: DateTime!': 'When `remaining` is back at `limit`.',
      'cost: Int!': `What this operation costs, of at most ${grouped(MAX_COST)}. It is what the operation reads in the worst case: an object costs 1, times the page size of the lists around it.`,
    }),
})

builder.queryField('rateLimit', (t) =>
  t.field({
    access: EVERY_ACCESS,
    type: RateLimitType,
    nullable: true,
    description: 'The rate limit of the caller. Null where the portal has none (`RATE_LIMIT=off`).',
    resolve: (_root, _args, { rateLimit, cost }) => (rateLimit ? { ...rateLimit, cost } : null),
  }),
)
