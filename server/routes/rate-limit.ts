import { hash } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimitState } from '../graphql/builder.ts'
import { type Clock, SECOND } from '../lib/clock.ts'
import type { Leases } from '../lib/leases/leases.ts'
import type { Shared } from '../lib/leases/shared.ts'
import { LIMITS, type LimitName, rateLimited } from '../limits.ts'
import { policyOf } from './rate-limit-headers.ts'

export const BURST_SECONDS = 2
const REFUSALS_SECONDS = 60

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
 * for all processes on one Valkey together, for all workers of one parent, or for this process.
 */
export function createRateLimits(rate: Rate, now: Clock, together: Shared = {}): RateLimits {
  const { perSecond, burstSeconds = BURST_SECONDS } = rate
  const limit = perSecond * burstSeconds
  const requests = createLimiter('requests', { points: limit, duration: burstSeconds }, together)
  const ofOrganizations = createLimiter(
    'requests-of-organization',
    { points: limit * LIMITS.requests_of_organization, duration: burstSeconds },
    together,
  )
  const refusals = createLimiter('refusals', { points: LIMITS.refused_keys, duration: REFUSALS_SECONDS }, together)
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
      const id = together.valkey ? hash('sha256', source, 'base64url') : source
      await consume(refusals, id, 'refused_keys')
    },
  }
}

/** Counts the requests of a source to /auth/…, successful or not; throws when there are too many. */
export function createAuthLimit(together: Shared): (source: string) => Promise<void> {
  const requests = createLimiter('auth', { points: LIMITS.auth_requests, duration: 60 }, together)
  return async (source) => {
    await consume(requests, together.valkey ? hash('sha256', source, 'base64url') : source, 'auth_requests')
  }
}

type Limiter = Pick<RateLimiterMemory, 'consume'>
type Limit = { points: number; duration: number }

/** Counts for each id, for all processes on one Valkey or all workers of one parent together, or for this process. */
function createLimiter(name: string, limit: Limit, { valkey, leases }: Shared): Limiter {
  if (leases) return createLeasedLimiter(name, limit, leases)
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

function createLeasedLimiter(name: string, { points: limit, duration }: Limit, leases: Leases): Limiter {
  const charge = leases.chargesOf(name, duration * SECOND)
  return {
    async consume(id, points = 1) {
      const { isAccepted, remaining, msBeforeNext } = await charge(String(id), limit, points)
      const state = new RateLimiterRes(remaining, msBeforeNext, limit - remaining, false)
      return isAccepted ? state : Promise.reject(state)
    },
  }
}

/** Counts a request, where each id has a limit of its own. More than that limit is too much. */
export type CountOfId = (id: string, limit: number) => Promise<Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'>>

/** Counts as `createLimiter` does. Except for leases it only counts, and the caller decides what is too much. */
export function createCountOfId(name: string, seconds: number, together: Shared): CountOfId {
  const charge = together.leases?.chargesOf(name, seconds * SECOND)
  if (charge)
    return async (id, limit) => {
      const { isAccepted, remaining, msBeforeNext } = await charge(id, limit, 1)
      return { consumedPoints: isAccepted ? limit - remaining : limit + 1, msBeforeNext }
    }
  const counted = createLimiter(name, { points: Number.MAX_SAFE_INTEGER, duration: seconds }, together)
  return (id) => counted.consume(id)
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
