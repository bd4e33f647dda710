import { type Clock, SECOND } from '../../lib/clock.ts'

const BEST_OF_MS = 10 * SECOND
const STEP_MS = SECOND

/** The database's clock, interpolated between its answers by the monotonic clock of this machine, so that all replicas use the same time. */
export interface ServerClock {
  now: Clock
  /** Takes the time that the database has just reported. */
  learn(serverTime: number): void
}

/** The fastest of the answers in the last seconds counts: a delay makes the clock slow, never fast. */
export function createServerClock(monotonic: Clock = () => performance.now()): ServerClock {
  let ahead = Number.NEGATIVE_INFINITY
  let learntAt = Number.NEGATIVE_INFINITY
  let last = 0
  return {
    now() {
      const time = Math.floor(monotonic() + ahead)
      if (time > last || last - time > STEP_MS) last = time // ignores a small step back, so that ids stay in order
      return last
    },
    learn(serverTime) {
      const sample = serverTime - monotonic()
      if (sample < ahead && monotonic() - learntAt < BEST_OF_MS && ahead - sample < STEP_MS) return
      ahead = sample
      learntAt = monotonic()
    },
  }
}
