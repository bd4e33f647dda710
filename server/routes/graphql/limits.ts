import type { RateLimitState } from '../../graphql/builder.ts'
import type { ApiKeyCaller } from '../../verify-key.ts'
import { type KeyLimits, keyPolicies, tighter } from '../key-limits.ts'
import type { RateLimits } from '../rate-limit.ts'
import type { ApiCall } from './call.ts'

/** Takes further points for a request that is counted; throws when too few are left. */
type Charge = (points: number) => Promise<RateLimitState>

/**
 * Counts a request of an accepted key: against the limits of its own, over which nothing is taken from others, then against
 * those of every key and organization. Throws when it is over one of them.
 */
export function createRequestCount(limits: RateLimits | undefined, keyLimits: KeyLimits) {
  return async function countRequest(call: ApiCall, caller: ApiKeyCaller): Promise<Charge | undefined> {
    const { keyId, organizationId } = caller
    const policies = keyPolicies(caller)
    call.policies = (limits ? [limits.policies, ...policies] : policies).join(', ')
    const own = await keyLimits.count(caller)
    const general = await limits?.countRequest(keyId, organizationId)
    call.rateLimit = tighter(own, general)
    return limits && (async (points) => tighter(own, await limits.charge(keyId, organizationId, points)))
  }
}
