import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** How long work may block the event loop before it yields to other work. */
export const MAX_BLOCK_MS = 10

/**
 * Yields to the event loop when its time is used up. For synchronous work such as SQLite's: a chain of a thousand short
 * reads would otherwise block as long as one long read.
 */
export function createYielder(maxBlockMs = MAX_BLOCK_MS): () => Promise<void> | undefined {
  let began: number | undefined

  function isTimeUsedUp(): boolean {
    const now = performance.now()
    if (began !== undefined) return now - began > maxBlockMs
    began = now
    setImmediate(() => {
      began = undefined
    })
    return false
  }

  async function wait(): Promise<void> {
    do await yieldToEventLoop()
    while (isTimeUsedUp())
  }

  return () => (isTimeUsedUp() ? wait() : undefined)
}
