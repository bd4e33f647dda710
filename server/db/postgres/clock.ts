import { type Clock, SECOND } from '../../lib/clock.ts'

const BEST_OF_MS = 10 * SECOND
const STEP_MS = SECOND

/** The database's clock, told between its answers by the monotonic clock of this machine: all replicas go by the same. */
export interface ServerClock {
  now: Clock
  /** What the database said the time was, just now. */
  learn(serverTime: number): void
}

/** Of the answers of the last seconds the one that came fastest counts: what is late makes the clock slow, never fast. */
export function createServerClock(monotonic: Clock = () => performance.now()): ServerClock {
  let ahead = Number.NEGATIVE_INFINITY
  let learntAt = Number.NEGATIVE_INFINITY
  let last = 0
  return {
    now() {
      const time = Math.floor(monotonic() + ahead)
      if (time > last || last - time > STEP_MS) last = time // a small step back is not taken: ids keep their order
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
