import { type Clock, DAY, MINUTE, SECOND } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'

const FREE_TRIES = 5
const FIRST_WAIT_MS = SECOND
const LONGEST_WAIT_MS = 15 * MINUTE
const FORGOTTEN_AFTER_MS = DAY
const MAX_KEPT = 50_000

/** Slows down guessing at one e-mail address from one source; from anywhere else its owner still gets in. */
export interface Throttle {
  /** Runs one try at a password; undefined means that it was wrong. */
  attempt<Result>(email: string, source: string, work: () => Promise<Result | undefined>): Promise<Result | undefined>
}

interface Tries {
  failed: number
  lastAt: number
  notBefore: number
}

/** Our own, since rate-limiter-flexible knows neither growing waits nor a clock other than the system's. */
export function createThrottle(now: Clock): Throttle {
  const kept = new Map<string, Tries>()

  return {
    async attempt(email, source, work) {
      const key = `${email} ${source}`
      count(key) // before the slow work, so that many tries at once do not slip past
      try {
        const result = await work()
        if (result !== undefined) kept.delete(key)
        return result
      } catch (error) {
        giveBack(key)
        throw error
      }
    },
  }

  function count(key: string): void {
    const at = now()
    const before = kept.get(key)
    const recent = before !== undefined && at - before.lastAt < FORGOTTEN_AFTER_MS
    if (recent && at < before.notBefore) {
      throw new Failure('RATE_LIMITED', {
        says: 'Too many tries with a wrong password. Wait as long as Retry-After says, then try again.',
        retryAfterSeconds: Math.ceil((before.notBefore - at) / SECOND),
      })
    }
    const failed = (recent ? before.failed : 0) + 1
    kept.delete(key) // and set again: the longest untouched stands first
    kept.set(key, { failed, lastAt: at, notBefore: at + waitAfter(failed) })
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value ?? '')
  }

  function giveBack(key: string): void {
    const tries = kept.get(key)
    if (tries) tries.failed--
  }
}

function waitAfter(failed: number): number {
  return failed < FREE_TRIES ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (failed - FREE_TRIES), LONGEST_WAIT_MS)
}
