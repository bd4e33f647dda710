const LOOK_EVERY_MS = 250

/** A pending operation, an entry of a linked list. */
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

  /** Does nothing if it is in no list. */
  takeOut(): void {
    this.before.after = this.after
    this.after.before = this.before
    this.before = this
    this.after = this
  }
}

/**
 * Waits for promises, each for at most `ms` and a quarter of a second. For frequent work that is rarely late: all share
 * one timer, where `within` would start and stop one for each, and a linked list, which costs less than a Set.
 */
export function createDeadlines(ms: number, late: () => Error) {
  const end = new Waiting(Number.POSITIVE_INFINITY, () => {}) // next to it are the first and the last entry
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
      waiting.putBefore(end) // all have the same time limit, so they expire in the order in which they were added
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
