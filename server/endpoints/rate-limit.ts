import { hash } from 'node:crypto'
import type { UserCaller } from '../caller/ctx.ts'
import type { ApiKeyCaller } from '../caller/verify-key.ts'
import { LIMITS, type LimitName, rateLimited } from '../config/limits.ts'
import type { RateLimitState } from '../graphql/builder.ts'
import type { AppError } from '../lib/app-error.ts'
import { type Clock, DAY, MINUTE, SECOND } from '../lib/clock.ts'
import { type Charge, createLimiter, type Shared } from '../lib/limiter.ts'

export const BURST_SECONDS = 2

/** What a response says about limits. */
export interface ShownLimits {
  /** The limits that apply, for the RateLimit-Policy header; empty: none does. */
  policies?: string | undefined
  /** The one of which least is left, after this request. */
  rateLimit?: RateLimitState | undefined
}

/** Takes further points for a request that is counted; throws when too few are left. */
export type ChargeRequest = (points: number) => Promise<RateLimitState>

export interface RateLimits {
  /** The limits of every caller, for the RateLimit-Policy header. */
  readonly policies: string
  /**
   * Counts a request: against the limits of the key itself, over which nothing is taken from others, then against those of
   * every caller, a key or a person, and of every organization. Throws when it is over one of them. Undefined: there is
   * nothing to charge, since with `RATE_LIMIT=off` only the limits of keys themselves apply, which an Admin chose.
   */
  countRequest(caller: ApiKeyCaller | UserCaller, shown: ShownLimits): Promise<ChargeRequest | undefined>
  /** Counts a refused key from a source; throws when there are too many. A valid key from there is still accepted. */
  countRefusedKey(source: string): Promise<void>
  /** Counts a request of a source to /auth/…, successful or not, also with `RATE_LIMIT=off`; throws when there are too many. */
  countAuthRequest(source: string): Promise<void>
}

interface Rate {
  /** Undefined: `RATE_LIMIT=off`. */
  perSecond: number | undefined
  burstSeconds?: number | undefined
}

/** What an id may take in a window. */
interface Limit {
  name: LimitName
  charge: Charge
  limit: number
  /** In seconds. */
  window: number
  /** The end of a window that does not begin with the first request. */
  resetAt?: number
  message?: string
}

interface LimitOfKey extends Limit {
  id: string
}

/**
 * `perSecond` on average with a burst of twice as many, five times that for an organization, and a limit on guessing:
 * for all processes on one Valkey together, for all workers of one parent, or for this process.
 */
export function createRateLimits(rate: Rate, now: Clock, shared: Shared): RateLimits {
  const { perSecond = 0, burstSeconds: window = BURST_SECONDS } = rate
  const requests = createLimiter('requests', window, shared)
  const requestsOfOrganization = createLimiter('requests-of-organization', window, shared)
  const requestsOfKey = createLimiter('requests-of-key', 1, shared)
  const requestsOfKeyADay = createLimiter('requests-of-key-a-day', DAY / SECOND, shared)
  const refusals = createLimiter('refusals', MINUTE / SECOND, shared)
  const authRequests = createLimiter('auth', MINUTE / SECOND, shared)
  const ofCaller = { name: 'requests_of_caller', charge: requests, limit: perSecond * window, window } as const
  const ofOrganization = {
    name: 'requests_of_organization',
    charge: requestsOfOrganization,
    limit: ofCaller.limit * LIMITS.requests_of_organization,
    window,
    message:
      'Too many requests of this organization, all of its keys and people together. Wait for the time in Retry-After, then try again.',
  } as const
  const policies = perSecond === 0 ? '' : [ofCaller, ofOrganization].map(policyOf).join(', ')
  // A request is charged three times more at most, for its body, document and cost: with a full limit it is always accepted.
  const mostAtOnce = Math.floor((ofCaller.limit - 1) / 3)

  async function take(counted: Limit, id: string, points = 1): Promise<RateLimitState> {
    const { name, charge, limit, resetAt, message } = counted
    const { isAccepted, remaining, msBeforeNext } = await charge(id, limit, points)
    const end = resetAt ?? now() + msBeforeNext
    if (!isAccepted) throw rateLimited(name, end - now(), message)
    return { name, limit, remaining, resetAt: end }
  }

  /** The limits that an Admin has set for the key. */
  function limitsOf({ keyId, rules }: ApiKeyCaller): LimitOfKey[] {
    const { requestsPerSecond, requestsPerDay, countedAs: id = keyId } = rules
    const at = now() // once: a day that began a millisecond later would have a count of its own
    const resetAt = at - (at % DAY) + DAY // a day is one of UTC
    const limits: LimitOfKey[] = []
    if (requestsPerSecond !== undefined)
      limits.push({
        name: 'requests_of_key',
        charge: requestsOfKey,
        id,
        limit: requestsPerSecond,
        window: 1,
        message: ownLimitExceeded(requestsPerSecond, 'second'),
      })
    if (requestsPerDay !== undefined)
      limits.push({
        name: 'requests_of_key_a_day',
        charge: requestsOfKeyADay,
        id: `${id} ${resetAt}`,
        limit: requestsPerDay,
        window: DAY / SECOND,
        resetAt,
        message: ownLimitExceeded(requestsPerDay, 'day'),
      })
    return limits
  }

  const ofRefusedKeys = {
    name: 'refused_keys',
    charge: refusals,
    limit: LIMITS.refused_keys,
    window: MINUTE / SECOND,
  } as const
  const ofAuthRequests = {
    name: 'auth_requests',
    charge: authRequests,
    limit: LIMITS.auth_requests,
    window: MINUTE / SECOND,
  } as const
  /** Valkey stores no address. */
  const idOf = (source: string) => hash('sha256', source, 'base64url')

  return {
    policies,
    async countRequest(caller, shown) {
      shown.policies = policies
      let own: RateLimitState | undefined
      if (caller.kind === 'API_KEY' && (caller.rules.requestsPerSecond ?? caller.rules.requestsPerDay) !== undefined) {
        const limits = limitsOf(caller)
        shown.policies = [...(policies === '' ? [] : [policies]), ...limits.map(policyOf)].join(', ')
        for (const limit of limits) {
          const state = await take(limit, limit.id) // the limit of a day counts only what that of a second accepts
          if (!own || state.remaining <= own.remaining) own = state
        }
        shown.rateLimit = own
      }
      if (perSecond === 0) return undefined
      const id = caller.kind === 'API_KEY' ? caller.keyId : caller.userId

      /** One after the other: a caller over its own limit takes nothing from the organization's. */
      async function charge(points: number): Promise<RateLimitState> {
        const state = await take(ofCaller, id, points)
        await take(ofOrganization, caller.organizationId, points)
        return own && own.remaining < state.remaining ? own : state
      }
      let latest = await charge(1)
      shown.rateLimit = latest
      return async (points) => {
        const taken = Math.min(points, mostAtOnce) // none, with a limit of a few requests
        if (taken > 0) latest = await charge(taken)
        return latest
      }
    },
    async countRefusedKey(source) {
      if (perSecond === 0) return
      await take(ofRefusedKeys, idOf(source))
    },
    async countAuthRequest(source) {
      await take(ofAuthRequests, idOf(source))
    },
  }
}

const ownLimitExceeded = (limit: number, window: 'second' | 'day') =>
  `This API key has a limit of its own, ${limit} ${limit === 1 ? 'request' : 'requests'} a ${window}, and has reached it. Wait for the time in Retry-After, or ask an Admin for a higher one.`

/*
 * The headers RateLimit and RateLimit-Policy, as in the draft of the IETF: draft-ietf-httpapi-ratelimit-headers. Limits have
 * the names that metrics and documents use.
 */

/** One limit in RateLimit-Policy. The draft counts in whole seconds. */
const policyOf = ({ name, limit, window }: Limit) => `"${name}";q=${limit};w=${Math.max(1, Math.ceil(window))}`

/** Adds names and values in turn, as `ServerResponse.writeHead` takes them. */
export function addRateLimit(fields: string[], { policies, rateLimit }: ShownLimits, now: Clock): string[] {
  if (!policies) return fields
  fields.push('ratelimit-policy', policies)
  if (!rateLimit) return fields
  const { name, remaining, resetAt } = rateLimit
  fields.push('ratelimit', `"${name}";r=${remaining};t=${Math.max(0, Math.ceil((resetAt - now()) / SECOND))}`)
  return fields
}

/** After a limit refused a request, nothing is left of that limit until the time in Retry-After. */
export function limitsAfter({ details }: AppError, shown: ShownLimits, now: number): ShownLimits {
  const { limit: name, retryAfterSeconds = 1 } = details
  if (!isQuota(name)) return shown
  const rateLimit = { name, limit: 0, remaining: 0, resetAt: now + retryAfterSeconds * SECOND }
  return { policies: name === 'refused_keys' ? REFUSED_KEYS : shown.policies, rateLimit }
}

const REFUSED_KEYS = `"refused_keys";q=${LIMITS.refused_keys};w=60`

/** Whether it limits the number of requests, and nothing else. */
const isQuota = (name: string | undefined): name is LimitName =>
  name === 'refused_keys' || (name?.startsWith('requests_of_') ?? false)
