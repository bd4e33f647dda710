import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { FairQueue } from './fair-queue.ts'

/** How long work may block the event loop before it yields to other work. */
export const MAX_BLOCK_MS = 10
/** So many waiting tasks may continue in one iteration of the event loop, if they are fast. */
const MAX_IN_AN_ITERATION = 100

/** Whether the time of this iteration of the event loop is used up. It starts with the first call. */
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

/** Calls the function at most once until the work in progress yields: nothing arrives before that, and what does so later reads anew. */
export function onceUntilYield<Value>(read: () => Value): () => Value {
  let latest: { value: Value } | undefined
  return () => {
    if (latest) return latest.value
    latest = { value: read() }
    queueMicrotask(() => {
      latest = undefined
    })
    return latest.value
  }
}

/** Yields when the time is used up: a chain of a thousand short reads of SQLite would block as long as one long read. */
export function createYielder(maxBlockMs = MAX_BLOCK_MS): () => Promise<void> | undefined {
  const isTimeUsedUp = createTimeLimit(maxBlockMs)

  async function wait(): Promise<void> {
    do await yieldToEventLoop()
    while (isTimeUsedUp())
  }

  return () => (isTimeUsedUp() ? wait() : undefined)
}

/** Once the time is used up, groups take turns: a thousand requests of one block neither the event loop nor a request of another. */
export function createFairYielder(maxBlockMs = MAX_BLOCK_MS): (groupOf: () => string) => Promise<void> | undefined {
  const isTimeUsedUp = createTimeLimit(maxBlockMs)
  const queue = new FairQueue<{ group: string }>({
    maxWaiting: Number.POSITIVE_INFINITY, // one for each connection, and those are limited
    maxWaitingOfGroup: Number.POSITIVE_INFINITY,
    refusal: (reason) => new Error(`Refused without a limit: ${reason}.`),
  })
  let scheduled = 0

  function wait(group: string): Promise<void> {
    const turn = queue.wait({ group })
    if (scheduled === 0) schedule()
    return turn
  }

  function schedule(): void {
    scheduled = Math.min(queue.size, MAX_IN_AN_ITERATION)
    for (let i = 0; i < scheduled; i++) setImmediate(goOn)
  }

  function goOn(): void {
    if (!isTimeUsedUp()) queue.next(() => true)?.resolve()
    if (--scheduled === 0) schedule()
  }

  return (groupOf) => (scheduled > 0 || isTimeUsedUp() ? wait(groupOf()) : undefined)
}

/** For all requests of this process, by organization or, where none is known, by source. */
export const waitForTurn = createFairYielder()
