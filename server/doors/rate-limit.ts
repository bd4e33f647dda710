import { hash } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimitState } from '../graphql/builder.ts'
import type { Clock } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import type { Valkey } from '../lib/valkey.ts'

export const BURST_SECONDS = 2
const REFUSED_A_MINUTE = 30

export interface RateLimits {
  /** Counts a request of a caller; throws when it is one too many. */
  countRequest(callerId: string): Promise<RateLimitState>
  /** Counts a refused key from a source; throws when it is one too many. A good key from there is still accepted. */
  countRefusal(source: string): Promise<void>
}

interface Rate {
  perSecond: number
  burstSeconds?: number | undefined
}

/**
 * `perSecond` on average with twice as many at once, and a brake on guessing: for all processes on one Valkey together, or
 * for this process.
 */
export function createRateLimits(rate: Rate, now: Clock, valkey?: Valkey): RateLimits {
  const { perSecond, burstSeconds = BURST_SECONDS } = rate
  const limit = perSecond * burstSeconds
  const requests = createLimiter('requests', { points: limit, duration: burstSeconds }, valkey)
  const refusals = createLimiter('refusals', { points: REFUSED_A_MINUTE, duration: 60 }, valkey)
  return {
    async countRequest(callerId) {
      const { remainingPoints, msBeforeNext } = await consume(requests, callerId)
      return { limit, remaining: remainingPoints, resetAt: now() + msBeforeNext }
    },
    async countRefusal(source) {
      await consume(refusals, valkey ? hash('sha256', source, 'base64url') : source)
    },
  }
}

type Limiter = RateLimiterMemory | RateLimiterRedis

function createLimiter(name: string, limit: { points: number; duration: number }, valkey?: Valkey): Limiter {
  const own = new RateLimiterMemory(limit)
  if (!valkey) return own
  return new RateLimiterRedis({
    ...limit,
    storeClient: valkey,
    useRedisPackage: true, // of which `eval` is all that counting takes
    keyPrefix: `portal:${name}`,
    insuranceLimiter: own,
    inMemoryBlockOnConsumed: limit.points, // who has spent everything is refused without asking again
  })
}

async function consume(limiter: Limiter, id: string): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(id)
  } catch (spent) {
    if (!(spent instanceof RateLimiterRes)) throw spent
    throw new Failure('RATE_LIMITED', { retryAfterSeconds: Math.max(1, Math.ceil(spent.msBeforeNext / 1000)) })
  }
}
