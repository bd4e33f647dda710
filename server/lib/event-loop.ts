import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** How long work may block the event loop before it yields to other work. */
export const MAX_BLOCK_MS = 10
/** Of those who wait, so many may go on in one iteration of the event loop, if they are quick. */
const MOST_IN_AN_ITERATION = 100

/** Whether the time of this iteration of the event loop is used up; it begins when it is asked for first. */
function createTimeLimit(maxBlockMs: number): () => boolean {
  let began: number | undefined
  return () => {
    const now = performance.now()
    if (began !== undefined) return now - began > maxBlockMs
    began = now
    setImmediate(() => {
      began = undefined
    })
    return false
  }
}

/**
 * Yields to the event loop when its time is used up. For synchronous work such as SQLite's: a chain of a thousand short
 * reads would otherwise block as long as one long read.
 */
export function createYielder(maxBlockMs = MAX_BLOCK_MS): () => Promise<void> | undefined {
  const isTimeUsedUp = createTimeLimit(maxBlockMs)

  async function wait(): Promise<void> {
    do await yieldToEventLoop()
    while (isTimeUsedUp())
  }

  return () => (isTimeUsedUp() ? wait() : undefined)
}

/**
 * The same for work of many groups: whoever comes once the time is used up waits, and groups take turns. So a thousand
 * requests that arrive at once block neither the event loop nor the request of another group.
 */
export function createFairYielder(maxBlockMs = MAX_BLOCK_MS): (group: string) => Promise<void> | undefined {
  const isTimeUsedUp = createTimeLimit(maxBlockMs)
  /** In the order in which groups have their turn. */
  const waiting = new Map<string, (() => void)[]>()
  let scheduled = 0

  function wait(group: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const others = waiting.get(group)
    if (others) others.push(resolve)
    else waiting.set(group, [resolve])
    if (scheduled === 0) schedule()
    return promise
  }

  function schedule(): void {
    let most = 0
    for (const { length } of waiting.values()) most += length
    for (scheduled = Math.min(most, MOST_IN_AN_ITERATION), most = scheduled; most > 0; most--) setImmediate(goOn)
  }

  function goOn(): void {
    if (!isTimeUsedUp()) startNext()
    if (--scheduled === 0) schedule()
  }

  function startNext(): void {
    const [turn] = waiting
    if (!turn) return
    const [group, line] = turn
    line.shift()?.()
    waiting.delete(group)
    if (line.length > 0) waiting.set(group, line)
  }

  return (group) => (waiting.size > 0 || isTimeUsedUp() ? wait(group) : undefined)
}
