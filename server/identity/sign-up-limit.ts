import type { Clock } from '../lib/clock.ts'
import type { Valkey } from '../lib/valkey.ts'
import { rateLimited } from '../limits.ts'
import { createCountedTries } from './counted-tries.ts'
import { SIGN_UPS } from './tries.ts'

/** Counts a sign-up from a source; throws when it is one too many. Whoever accepts an invitation is not counted. */
export function createSignUpLimit(
  now: Clock,
  { valkey, waitsMs }: { valkey: Valkey | undefined; waitsMs: readonly number[] | undefined },
): (source: string) => Promise<void> {
  const slowing = { ...SIGN_UPS, ...(waitsMs && { waitsMs }) }
  const count = createCountedTries(now, { valkey, name: 'sign-up', slowing })
  return async (source) => {
    const { waitMs } = await count(source)
    if (waitMs === 0) return
    const says =
      'Too many accounts were made from where you are. Wait as long as Retry-After says, or ask for an invitation.'
    throw rateLimited('sign_ups', waitMs, says)
  }
}
