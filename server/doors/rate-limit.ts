import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimitState } from '../graphql/builder.ts'
import type { Clock } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'

const BURST_SECONDS = 2
const REFUSED_A_MINUTE = 30

export interface RateLimits {
  /** Counts a request of a caller; throws when it is one too many. */
  countRequest(callerId: string): Promise<RateLimitState>
  /** Counts a refused key from a source; throws when it is one too many. A good key from there is still accepted. */
  countRefusal(source: string): Promise<void>
}

/** The limits of one process: `perSecond` on average with twice as many at once, and a brake on guessing. */
export function createRateLimits(perSecond: number, now: Clock): RateLimits {
  const limit = perSecond * BURST_SECONDS
  const requests = new RateLimiterMemory({ points: limit, duration: BURST_SECONDS })
  const refusals = new RateLimiterMemory({ points: REFUSED_A_MINUTE, duration: 60 })
  return {
    async countRequest(callerId) {
      const { remainingPoints, msBeforeNext } = await consume(requests, callerId)
      return { limit, remaining: remainingPoints, resetAt: now() + msBeforeNext }
    },
    async countRefusal(source) {
      await consume(refusals, source)
    },
  }
}

async function consume(limiter: RateLimiterMemory, id: string): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(id)
  } catch (spent) {
    if (!(spent instanceof RateLimiterRes)) throw spent
    throw new Failure('RATE_LIMITED', { retryAfterSeconds: Math.max(1, Math.ceil(spent.msBeforeNext / 1000)) })
  }
}
