import type { RateLimitState } from '../graphql/builder.ts'
import { type Clock, DAY, SECOND } from '../lib/clock.ts'
import type { Shared } from '../lib/leases/shared.ts'
import { rateLimited } from '../limits.ts'
import type { ApiKeyCaller } from '../verify-key.ts'
import { createCountOfId } from './rate-limit.ts'
import { policyOf } from './rate-limit-headers.ts'

export interface KeyLimits {
  /**
   * Counts a request of a key that has limits of its own; throws when it exceeds one of them. Undefined for a key
   * without. An Admin chose them, so they also apply with `RATE_LIMIT=off`.
   */
  count(caller: ApiKeyCaller): Promise<RateLimitState | undefined> | undefined
}

/** The limits of the key itself, for the RateLimit-Policy header. */
export function keyPolicies({ rules: { requestsPerSecond, requestsPerDay } }: ApiKeyCaller): string[] {
  if (requestsPerSecond === undefined && requestsPerDay === undefined) return NONE
  const second = requestsPerSecond === undefined ? [] : [policyOf('requests_of_key', requestsPerSecond, 1)]
  return requestsPerDay === undefined
    ? second
    : [...second, policyOf('requests_of_key_a_day', requestsPerDay, DAY / SECOND)]
}

const NONE: string[] = []

/** For all processes on one Valkey or all workers of one parent together, or for this process. A day is one of UTC. */
export function createKeyLimits(now: Clock, together: Shared): KeyLimits {
  const countInSecond = createCountOfId('requests-of-key', 1, together)
  const countInDay = createCountOfId('requests-of-key-a-day', DAY / SECOND, together)

  async function count(id: string, perSecond: number | undefined, perDay: number | undefined) {
    const inSecond = perSecond === undefined ? undefined : await ofSecond(id, perSecond)
    const inDay = perDay === undefined ? undefined : await ofDay(id, perDay) // only requests that the other accepts
    return tighter(inDay, inSecond)
  }

  async function ofSecond(id: string, limit: number): Promise<RateLimitState> {
    const { consumedPoints, msBeforeNext } = await countInSecond(id, limit)
    if (consumedPoints > limit)
      throw rateLimited(
        'requests_of_key',
        msBeforeNext,
        exceeded(limit, limit === 1 ? 'request a second' : 'requests a second'),
      )
    return { name: 'requests_of_key', limit, remaining: limit - consumedPoints, resetAt: now() + msBeforeNext }
  }

  async function ofDay(id: string, limit: number): Promise<RateLimitState> {
    const at = now()
    const day = at - (at % DAY)
    const { consumedPoints } = await countInDay(`${id} ${day}`, limit)
    if (consumedPoints > limit)
      throw rateLimited(
        'requests_of_key_a_day',
        day + DAY - at,
        exceeded(limit, limit === 1 ? 'request a day' : 'requests a day'),
      )
    return { name: 'requests_of_key_a_day', limit, remaining: limit - consumedPoints, resetAt: day + DAY }
  }

  return {
    count({ keyId, rules: { requestsPerSecond, requestsPerDay, countedAs = keyId } }) {
      if (requestsPerSecond === undefined && requestsPerDay === undefined) return undefined
      return count(countedAs, requestsPerSecond, requestsPerDay)
    },
  }
}

type State = RateLimitState | undefined

/** The limit of which less is left. */
export function tighter(own: State, general: RateLimitState): RateLimitState
export function tighter(own: State, general: State): State
export function tighter(own: State, general: State): State {
  return own && (!general || own.remaining < general.remaining) ? own : general
}

const exceeded = (limit: number, what: string) =>
  `This API key has a limit of its own, ${limit} ${what}, and has reached it. Wait for the time in Retry-After, or ask an Admin for a higher one.`
