import type { Clock } from '../lib/clock.ts'
import type { Valkey } from '../lib/valkey.ts'
import { createSharedTries } from './shared-tries.ts'
import { createOwnTries, type Slowing } from './tries.ts'

/** A try that was counted, or comes too early by `waitMs`. */
export interface Counted {
  waitMs: number
  giveBack(): Promise<void>
  forget(): Promise<void>
}

export type CountTry = (who: string) => Promise<Counted>

/** Counts tries for all processes on one Valkey together; for this process without one, and while it is away. */
export function createCountedTries(
  now: Clock,
  { valkey, name, slowing }: { valkey: Valkey | undefined; name: string; slowing: Slowing },
): CountTry {
  const own = createOwnTries(now, slowing)
  const shared = valkey && createSharedTries(valkey, name, slowing)
  return async (who) => {
    const sharedWaitMs = await shared?.count(who).catch(leave)
    const tries = sharedWaitMs === undefined || !shared ? own : shared
    return {
      waitMs: sharedWaitMs ?? (await own.count(who)),
      giveBack: () => tries.giveBack(who).catch(leave),
      forget: () => tries.forget(who).catch(leave),
    }
  }
}

/** Valkey is away, which its connection has said; what stays in there is forgotten after a day. */
const leave = () => undefined
