import { type Clock, SECOND } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import type { Valkey } from '../lib/valkey.ts'
import { createSharedTries } from './shared-tries.ts'
import { createOwnTries, type Tries } from './tries.ts'

/** Slows down guessing at one e-mail address from one source; from anywhere else its owner still gets in. */
export interface Throttle {
  /** Runs one try at a password; undefined means that it was wrong. */
  attempt<Result>(email: string, source: string, work: () => Promise<Result | undefined>): Promise<Result | undefined>
}

interface Options {
  valkey?: Valkey | undefined
  waitsMs?: readonly number[] | undefined
}

/** For all processes on one Valkey together; for this process without one, and while it is away. */
export function createThrottle(now: Clock, { valkey, waitsMs }: Options = {}): Throttle {
  const own = createOwnTries(now, waitsMs)
  const shared = valkey && createSharedTries(valkey, 'sign-in', waitsMs)

  return {
    async attempt(email, source, work) {
      const who = `${email} ${source}`
      const tries = await count(who) // before the slow work, so that many tries at once do not slip past
      let result: Awaited<ReturnType<typeof work>>
      try {
        result = await work()
      } catch (error) {
        await tries.giveBack(who).catch(leave)
        throw error
      }
      if (result !== undefined) await tries.forget(who).catch(leave)
      return result
    },
  }

  /** Gives the tries among which this one is now. */
  async function count(who: string): Promise<Tries> {
    const waitMs = await shared?.count(who).catch(leave)
    if (shared && waitMs !== undefined) return unlessEarly(waitMs, shared)
    return unlessEarly(await own.count(who), own)
  }
}

/** Valkey is away, which its connection has said; what stays in there is forgotten after a day. */
const leave = () => undefined

function unlessEarly(waitMs: number, tries: Tries): Tries {
  if (waitMs === 0) return tries
  throw new Failure('RATE_LIMITED', {
    says: 'Too many tries with a wrong password. Wait as long as Retry-After says, then try again.',
    retryAfterSeconds: Math.ceil(waitMs / SECOND),
  })
}
