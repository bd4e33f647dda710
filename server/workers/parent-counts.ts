import { RateLimiterCluster } from 'rate-limiter-flexible'
import { MINUTE, SECOND } from '../lib/clock.ts'
import type { ParentCounts } from '../lib/limiter.ts'
import type { Log } from '../lib/log.ts'

/** Longer than a count waits for the parent: a stall of this worker must not count as its silence, see `answeredWithin`. */
const GIVEN_UP_AFTER_MS = 5 * SECOND
/** How long this worker then counts for itself. */
const ALONE_MS = 5 * SECOND
const WARN_AGAIN_AFTER_MS = MINUTE

/** The counts of limits of all workers, which their parent has: see parent.ts. */
export function parentCounts(workers: number, log: Log): ParentCounts {
  let silentAt = Number.NEGATIVE_INFINITY
  let warnedAt = Number.NEGATIVE_INFINITY
  return {
    workers,
    counterOf: (options) => new RateLimiterCluster({ ...options, timeoutMs: GIVEN_UP_AFTER_MS }),
    isSilent: () => performance.now() - silentAt < ALONE_MS,
    noteSilence(err) {
      silentAt = performance.now()
      if (silentAt - warnedAt < WARN_AGAIN_AFTER_MS) return
      warnedAt = silentAt
      log.warn({ err }, 'the parent does not answer: limits are counted by this worker alone until it does')
    },
  }
}
