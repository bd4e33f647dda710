import type { Clock } from '../lib/clock.ts'
import type { Valkey } from '../lib/valkey.ts'
import { type BackoffRule, createMemoryBackoff } from './login-backoff.ts'
import { createSharedBackoff } from './shared-login-backoff.ts'

/** An attempt that was counted, or that comes too early by `waitMs`. */
export interface Counted {
  waitMs: number
  giveBack(): Promise<void>
  forget(): Promise<void>
}

export type CountAttempt = (who: string) => Promise<Counted>

/**
 * Counts attempts for all processes on one Valkey together; for this process without one, and while it is unavailable.
 */
export function createCountedBackoff(
  now: Clock,
  { valkey, name, slowing }: { valkey: Valkey | undefined; name: string; slowing: BackoffRule },
): CountAttempt {
  const own = createMemoryBackoff(now, slowing)
  const shared = valkey && createSharedBackoff(valkey, name, slowing)
  return async (who) => {
    const sharedWaitMs = await shared?.count(who).catch(ignore)
    const backoff = sharedWaitMs === undefined || !shared ? own : shared
    return {
      waitMs: sharedWaitMs ?? (await own.count(who)),
      giveBack: () => backoff.giveBack(who).catch(ignore),
      forget: () => backoff.forget(who).catch(ignore),
    }
  }
}

/** Valkey is unavailable, which its connection has logged; what stays in there expires after a day. */
const ignore = () => undefined
