const LOOK_EVERY_MS = 250

/** One of those that are waited for, between two others. */
class Waiting {
  readonly until: number
  readonly giveUp: (error: Error) => void
  before: Waiting = this
  after: Waiting = this

  constructor(until: number, giveUp: (error: Error) => void) {
    this.until = until
    this.giveUp = giveUp
  }

  putBefore(other: Waiting): void {
    this.before = other.before
    this.after = other
    other.before.after = this
    other.before = this
  }

  /** Does nothing to one that stands alone. */
  takeOut(): void {
    this.before.after = this.after
    this.after.before = this.before
    this.before = this
    this.after = this
  }
}

/**
 * Waits for one thing after the other, but for none longer than `ms` and a quarter of a second. For what happens all the time and
 * is hardly ever late: they share one clock, where `within` would set and stop a timer for each, and stand in a ring, which
 * costs less than a set.
 */
export function createDeadlines(ms: number, late: () => Error) {
  const end = new Waiting(Number.POSITIVE_INFINITY, () => {}) // after it comes the first, before it the last
  let isRunning = false

  function look(): void {
    const now = performance.now()
    for (let first = end.after; first.until <= now; first = end.after) {
      first.takeOut()
      first.giveUp(late())
    }
  }

  return <Result>(work: Promise<Result>): Promise<Result> => {
    if (!isRunning) setInterval(look, LOOK_EVERY_MS).unref()
    isRunning = true
    return new Promise((resolve, reject) => {
      const waiting = new Waiting(performance.now() + ms, reject)
      waiting.putBefore(end) // all wait equally long: the last in is the last to be late
      work.then(
        (result) => {
          waiting.takeOut()
          resolve(result)
        },
        (error) => {
          waiting.takeOut()
          reject(error)
        },
      )
    })
  }
}
