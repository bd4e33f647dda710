import { LinkedList } from '../lib/linked-list.ts'

const LOOK_EVERY_MS = 250

/**
 * Waits for one thing after the other, but for none longer than `ms` and a quarter of a second. For what happens all the time and
 * is hardly ever late: they share one clock, where `within` would set and stop a timer for each.
 */
export function createDeadlines(ms: number, late: () => Error) {
  const waiting = new LinkedList<{ until: number; giveUp(error: Error): void }>() // all wait equally long: the first is the first to be late
  let isRunning = false

  function look(): void {
    const now = performance.now()
    for (const entry of waiting) {
      if (entry.value.until > now) return
      waiting.remove(entry)
      entry.value.giveUp(late())
    }
  }

  return <Result>(work: Promise<Result>): Promise<Result> => {
    if (!isRunning) setInterval(look, LOOK_EVERY_MS).unref()
    isRunning = true
    return new Promise((resolve, reject) => {
      const entry = waiting.add({ until: performance.now() + ms, giveUp: reject })
      work.then(
        (result) => {
          waiting.remove(entry)
          resolve(result)
        },
        (error) => {
          waiting.remove(entry)
          reject(error)
        },
      )
    })
  }
}
