import { SECOND } from '../lib/clock.ts'

/** Who lives shorter has died at once. */
const YOUNG_MS = 10 * SECOND
const FIRST_WAIT_MS = SECOND
const LONGEST_WAIT_MS = 30 * SECOND

/** How long to wait before a worker is replaced, by how long it has lived: the first time not at all. */
export function createRestartPace(): (livedMs: number) => number {
  let diedAtOnce = 0
  return (livedMs) => {
    if (livedMs >= YOUNG_MS) {
      diedAtOnce = 0
      return 0
    }
    const waits = diedAtOnce++
    return waits === 0 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (waits - 1), LONGEST_WAIT_MS)
  }
}
