import { SECOND } from '../lib/clock.ts'

export interface RestartPace {
  /** Who lives shorter has died at once. */
  youngMs: number
  firstWaitMs: number
  longestWaitMs: number
}

const PACE: RestartPace = { youngMs: 10 * SECOND, firstWaitMs: SECOND, longestWaitMs: 30 * SECOND }

/** How long to wait before a worker is replaced, by how long it has lived: the first time not at all. */
export function createRestartPace(given: Partial<RestartPace> = {}): (livedMs: number) => number {
  const { youngMs, firstWaitMs, longestWaitMs } = { ...PACE, ...given }
  let diedAtOnce = 0
  return (livedMs) => {
    if (livedMs >= youngMs) {
      diedAtOnce = 0
      return 0
    }
    const waits = diedAtOnce++
    return waits === 0 ? 0 : Math.min(firstWaitMs * 2 ** (waits - 1), longestWaitMs)
  }
}
