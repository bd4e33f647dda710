import type { Clock } from '../lib/clock.ts'
import type { Shared } from '../lib/leases/shared.ts'
import { type BackoffRule, createMemoryBackoff, type LoginBackoff } from './login-backoff.ts'
import { createParentBackoff } from './parent-backoff.ts'
import { createSharedBackoff } from './shared-login-backoff.ts'

/** An attempt that was counted, or that comes too early by `waitMs`. */
export interface Counted {
  waitMs: number
  giveBack(): Promise<void>
  forget(): Promise<void>
}

export type CountAttempt = (who: string) => Promise<Counted>

/** For all processes on one Valkey, or for all workers of one parent; undefined: for this process alone. */
export function backoffTogether(
  { valkey, leases }: Shared,
  name: string,
  slowing: BackoffRule,
): LoginBackoff | undefined {
  if (valkey) return createSharedBackoff(valkey, name, slowing)
  return leases && createParentBackoff(leases.parent, name, slowing)
}

/**
 * Counts attempts for all processes on one Valkey together, or for all workers; for this process without either, and
 * while it is unavailable.
 */
export function createCountedBackoff(
  now: Clock,
  { name, slowing, ...together }: Shared & { name: string; slowing: BackoffRule },
): CountAttempt {
  const own = createMemoryBackoff(now, slowing)
  const shared = backoffTogether(together, name, slowing)
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

/** It is unavailable, which is logged elsewhere; what stays in there expires after a day. */
const ignore = () => undefined
