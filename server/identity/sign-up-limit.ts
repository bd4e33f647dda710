import type { Clock } from '../lib/clock.ts'
import type { Shared } from '../lib/leases/shared.ts'
import { rateLimited } from '../limits.ts'
import { createCountedBackoff } from './counted-backoff.ts'
import { SIGN_UPS } from './login-backoff.ts'

/** Counts a sign-up from a source; throws when there are too many. Accepting an invitation is not counted. */
export function createSignUpLimit(
  now: Clock,
  { waitsMs, ...together }: Shared & { waitsMs: readonly number[] | undefined },
): (source: string) => Promise<void> {
  const slowing = { ...SIGN_UPS, ...(waitsMs && { waitsMs }) }
  const count = createCountedBackoff(now, { ...together, name: 'sign-up', slowing })
  return async (source) => {
    const { waitMs } = await count(source)
    if (waitMs === 0) return
    const message =
      'Too many accounts were created from your network. Wait for the time in Retry-After, or ask for an invitation.'
    throw rateLimited('sign_ups', waitMs, message)
  }
}
