import SchemaBuilder from '@pothos/core'
import type DataLoader from 'dataloader'
import { GraphQLError } from 'graphql'
import type { Ctx } from '../caller/ctx.ts'
import type { FieldAccess } from '../caller/key-rules.ts'
import type { LimitName } from '../config/limits.ts'
import type { Config, OriginConfig, WebhookConfig } from '../config.ts'
import type { Encryption } from '../lib/encryption.ts'
import './field-options.ts'

/** What a resolver receives: the domain's context, and what only the route knows. */
export interface RequestCtx extends Ctx {
  requestId: string
  /** The settings for the URL that links begin with, never taken from a request, and those of webhooks, retention and backups. */
  originConfig: OriginConfig & WebhookConfig & Pick<Config, 'retention' | 'backups'>
  /** What the operation costs, of `MAX_COST`. */
  cost: number
  /** What was taken from the rate limit for the body of the request. */
  bodyPoints?: number
  bodyBytes?: number
  operation: string | undefined
  /** What it requests, as far as the access of a key depends on it. */
  accessedFields?: readonly FieldAccess[] | undefined
  /** When the last of its long lists could be completed: see field-rules.ts. */
  lastTurn?: Promise<void>
  /** By what they load: see loaders.ts. */
  loaders?: Map<string, DataLoader<string, unknown>>
  /** The error codes in the answer; undefined when there are none. */
  refusals?: readonly string[]
  /** The answer is that of an earlier request with the same Idempotency-Key. */
  isReplayed?: boolean
  rateLimit: RateLimitState | undefined
  /** Takes further points from the caller's rate limit; throws when too few are left. Absent: there is no limit. */
  charge?: ((points: number) => Promise<RateLimitState>) | undefined
  /** Encrypts emails with links; absent: the portal sends no email. */
  emailEncryption?: Encryption | undefined
}

export interface RateLimitState {
  name: LimitName
  limit: number
  remaining: number
  resetAt: number
}

/** The one builder. Every `*.graphql.ts` adds its types and fields to it; `schema.ts` imports them all. */
export const builder = new SchemaBuilder<{
  Context: RequestCtx
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: number; Output: number }
    JSON: { Input: never; Output: unknown }
  }
  DefaultFieldNullability: false
}>({ defaultFieldNullability: false, plugins: ['fieldOptions'] })

export type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer Known> ? Known : never

builder.queryType({
  description: 'What can be read. Unless said otherwise, it is of the organization that the caller is in.',
})
builder.mutationType({
  description:
    'What can be changed, one field after the other. A field that fails is null and has an error; the others have their answers.',
})

builder.scalarType('DateTime', {
  description:
    'A date and time with its time zone, as in RFC 3339: 2026-11-15T14:03:00Z, from 1970 to 9999. Answers are in UTC, with milliseconds.',
  serialize: (at) => new Date(at).toISOString(),
  parseValue: parseDateTime,
})

builder.scalarType('JSON', {
  description: 'Any JSON value: a text, a number, true or false, a list or an object.',
  serialize: (value) => value,
  parseValue: () => {
    throw new GraphQLError('JSON: only in answers.')
  },
})

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2})$/
const NO_MOMENT = -1

/** Milliseconds, or a negative number for no valid time: the argument check refuses it, since it knows the name of the field. */
function parseDateTime(value: unknown): number {
  if (typeof value !== 'string') throw new GraphQLError('DateTime: a text such as "2026-11-15T14:03:00Z".')
  if (!RFC_3339.test(value) || Number(value.slice(8, 10)) > daysOfMonth(value)) return NO_MOMENT
  const at = Date.parse(value)
  return Number.isNaN(at) ? NO_MOMENT : at
}

const daysOfMonth = (text: string) =>
  new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate()
