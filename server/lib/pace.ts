import { setImmediate as nextTurn } from 'node:timers/promises'

/** For so long one turn of the event loop may be used before others are let in. */
export const TURN_MS = 10

/**
 * Lets others have a turn of the event loop when this one is used up. For what answers at once, such as SQLite: a chain of
 * a thousand short reads would otherwise be one long one.
 */
export function createPace(turnMs = TURN_MS): () => Promise<void> | undefined {
  let began: number | undefined

  function isUsedUp(): boolean {
    const now = performance.now()
    if (began !== undefined) return now - began > turnMs
    began = now
    setImmediate(() => {
      began = undefined
    })
    return false
  }

  async function wait(): Promise<void> {
    do await nextTurn()
    while (isUsedUp())
  }

  return () => (isUsedUp() ? wait() : undefined)
}
