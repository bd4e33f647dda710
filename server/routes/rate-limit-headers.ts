import type { RateLimitState } from '../graphql/builder.ts'
import type { AppError } from '../lib/app-error.ts'
import { type Clock, SECOND } from '../lib/clock.ts'
import { LIMITS, type LimitName } from '../limits.ts'

/*
 * RateLimit and RateLimit-Policy, as in the draft of the IETF: draft-ietf-httpapi-ratelimit-headers. Limits have the
 * names that metrics and documents use.
 */

/** One limit in RateLimit-Policy. The draft counts in whole seconds. */
export const policyOf = (name: LimitName, quota: number, seconds: number) =>
  `"${name}";q=${quota};w=${Math.max(1, Math.ceil(seconds))}`

const REFUSED_KEYS = policyOf('refused_keys', LIMITS.refused_keys, 60)

/** What a response says about limits. */
export interface ShownLimits {
  /** Those that apply; empty: none does. */
  policies: string
  /** The one of which least is left, after this request. */
  rateLimit: RateLimitState | undefined
}

/** Adds names and values in turn, as `ServerResponse.writeHead` takes them. */
export function addRateLimit(fields: string[], { policies, rateLimit }: ShownLimits, now: Clock): string[] {
  if (policies !== '') fields.push(POLICY, policies)
  if (policies !== '' && rateLimit) fields.push(LIMIT, leftOf(rateLimit, now()))
  return fields
}

const LIMIT = 'ratelimit'
const POLICY = 'ratelimit-policy'

const leftOf = ({ name, remaining, resetAt }: RateLimitState, now: number) =>
  `"${name}";r=${remaining};t=${Math.max(0, Math.ceil((resetAt - now) / SECOND))}`

/** Of a request that a limit refused, nothing is left of that limit until the time in Retry-After. */
export function limitsAfter({ details }: AppError, shown: ShownLimits, now: number): ShownLimits {
  const { limit: name, retryAfterSeconds = 1 } = details
  if (!isQuota(name)) return shown
  const rateLimit = { name, limit: 0, remaining: 0, resetAt: now + retryAfterSeconds * SECOND }
  return { policies: name === 'refused_keys' ? REFUSED_KEYS : shown.policies, rateLimit }
}

/** Whether it limits the number of requests, and nothing else. */
const isQuota = (name: string | undefined): name is LimitName =>
  name === 'refused_keys' || (name?.startsWith('requests_of_') ?? false)
