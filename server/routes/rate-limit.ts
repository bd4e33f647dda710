import { hash } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimitState } from '../graphql/builder.ts'
import type { Clock } from '../lib/clock.ts'
import type { Valkey } from '../lib/valkey.ts'
import { LIMITS, type LimitName, rateLimited } from '../limits.ts'
import { policyOf } from './rate-limit-headers.ts'

export const BURST_SECONDS = 2

export interface RateLimits {
  /** Counts a request of a caller, a key or a person, and of its organization; throws when either exceeds its limit. */
  countRequest(callerId: string, organizationId: string): Promise<RateLimitState>
  /** Takes further points of both for a request that is already counted; throws when too few are left. */
  charge(callerId: string, organizationId: string, points: number): Promise<RateLimitState>
  /** Counts a refused key from a source; throws when there are too many. A valid key from there is still accepted. */
  countRefusal(source: string): Promise<void>
  /** The limits of every caller, for the RateLimit-Policy header. */
  readonly policies: string
}

interface Rate {
  perSecond: number
  burstSeconds?: number | undefined
}

/**
 * `perSecond` on average with a burst of twice as many, five times that for an organization, and a limit on guessing:
 * for all processes on one Valkey together, or for this process.
 */
export function createRateLimits(rate: Rate, now: Clock, valkey?: Valkey): RateLimits {
  const { perSecond, burstSeconds = BURST_SECONDS } = rate
  const limit = perSecond * burstSeconds
  const requests = createLimiter('requests', { points: limit, duration: burstSeconds }, valkey)
  const ofOrganizations = createLimiter(
    'requests-of-organization',
    { points: limit * LIMITS.requests_of_organization, duration: burstSeconds },
    valkey,
  )
  const refusals = createLimiter('refusals', { points: LIMITS.refused_keys, duration: 60 }, valkey)
  // A request is charged three times at most, for its body, document and cost: with a full limit it is always accepted.
  const mostAtOnce = Math.floor((limit - 1) / 3)

  const policies = [
    policyOf('requests_of_caller', limit, burstSeconds),
    policyOf('requests_of_organization', limit * LIMITS.requests_of_organization, burstSeconds),
  ].join(', ')

  async function take(callerId: string, organizationId: string, points: number): Promise<RateLimitState> {
    // One after the other: a caller over its own limit takes nothing from the organization's.
    const { remainingPoints, msBeforeNext } = await consume(requests, callerId, 'requests_of_caller', points)
    await consume(ofOrganizations, organizationId, 'requests_of_organization', points)
    return { name: 'requests_of_caller', limit, remaining: remainingPoints, resetAt: now() + msBeforeNext }
  }

  return {
    policies,
    countRequest: (callerId, organizationId) => take(callerId, organizationId, 1),
    charge: (callerId, organizationId, points) => take(callerId, organizationId, Math.min(points, mostAtOnce)),
    async countRefusal(source) {
      await consume(refusals, valkey ? hash('sha256', source, 'base64url') : source, 'refused_keys')
    },
  }
}

/** Counts the requests of a source to /auth/…, successful or not; throws when there are too many. */
export function createAuthLimit(valkey?: Valkey): (source: string) => Promise<void> {
  const requests = createLimiter('auth', { points: LIMITS.auth_requests, duration: 60 }, valkey)
  return async (source) => {
    await consume(requests, valkey ? hash('sha256', source, 'base64url') : source, 'auth_requests')
  }
}

type Limiter = RateLimiterMemory | RateLimiterRedis

/** Counts for each id, for all processes on one Valkey together, or for this process. */
export function createLimiter(name: string, limit: { points: number; duration: number }, valkey?: Valkey): Limiter {
  const own = new RateLimiterMemory(limit)
  if (!valkey) return own
  return new RateLimiterRedis({
    ...limit,
    storeClient: valkey,
    useRedisPackage: true, // counting needs its `eval` alone
    keyPrefix: `portal:${name}`,
    insuranceLimiter: own,
    inMemoryBlockOnConsumed: limit.points, // a caller without points is refused without asking again
  })
}

const MESSAGES: Partial<Record<LimitName, string>> = {
  requests_of_organization:
    'Too many requests of this organization, all of its keys and people together. Wait for the time in Retry-After, then try again.',
}

async function consume(limiter: Limiter, id: string, limit: LimitName, points = 1): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(id, points)
  } catch (spent) {
    if (!(spent instanceof RateLimiterRes)) throw spent
    throw rateLimited(limit, spent.msBeforeNext, MESSAGES[limit])
  }
}
