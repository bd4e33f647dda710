const LOOK_EVERY_MS = 250

interface Waiting {
  until: number
  giveUp(error: Error): void
}

/**
 * Waits for one thing after the other, but for none longer than `ms` and a quarter of a second. For what happens all the time and is hardly
 * ever late: they share one clock, where `within` would set and stop a timer for each.
 */
export function createWatch(ms: number, late: () => Error) {
  const all = new Set<Waiting>() // all wait equally long: the first in is the first to be late
  let isRunning = false

  function look(): void {
    const now = performance.now()
    for (const waiting of all) {
      if (waiting.until > now) return
      all.delete(waiting)
      waiting.giveUp(late())
    }
  }

  return <Result>(work: Promise<Result>): Promise<Result> => {
    if (!isRunning) setInterval(look, LOOK_EVERY_MS).unref()
    isRunning = true
    return new Promise((resolve, reject) => {
      const waiting = { until: performance.now() + ms, giveUp: reject }
      all.add(waiting)
      work.then(
        (result) => {
          all.delete(waiting)
          resolve(result)
        },
        (error) => {
          all.delete(waiting)
          reject(error)
        },
      )
    })
  }
}
