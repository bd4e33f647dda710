import { Failure } from './failure.ts'

interface Limits {
  /** Of all groups together. */
  atOnce: number
  atOnceOfGroup: number
  maxWaiting: number
  maxWaitingOfGroup: number
  patienceMs: number
}

interface Waiting {
  start(): void
  giveUp(error: Error): void
  isGone(): boolean
}

/**
 * A bounded number of things at once, taken from each group in its turn: a group that asks for much waits for itself. Nobody
 * waits for ever, and whoever is gone when the turn comes is passed over.
 */
export class FairQueue {
  readonly #limits: Limits
  /** In the order in which groups have their turn. */
  readonly #lines = new Map<string, Waiting[]>()
  readonly #runningOf = new Map<string, number>()
  #running = 0
  #waiting = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  async run<Result>(group: string, work: () => Promise<Result>, isGone: () => boolean = () => false): Promise<Result> {
    if (this.#mayRun(group)) this.#count(group, 1)
    else await this.#wait(group, isGone)
    try {
      return await work()
    } finally {
      this.#count(group, -1)
      this.#startNext()
    }
  }

  #mayRun(group: string): boolean {
    const { atOnce, atOnceOfGroup } = this.#limits
    return this.#running < atOnce && (this.#runningOf.get(group) ?? 0) < atOnceOfGroup
  }

  #count(group: string, by: 1 | -1): void {
    const running = (this.#runningOf.get(group) ?? 0) + by
    this.#running += by
    if (running === 0) this.#runningOf.delete(group)
    else this.#runningOf.set(group, running)
  }

  async #wait(group: string, isGone: () => boolean): Promise<void> {
    this.#requireRoom(group)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { start: resolve, giveUp: reject, isGone }
    const line = this.#lines.get(group) ?? []
    line.push(waiting)
    this.#lines.set(group, line)
    this.#waiting++
    const timer = setTimeout(() => this.#drop(group, [waiting]), this.#limits.patienceMs)
    try {
      await promise
    } finally {
      clearTimeout(timer)
    }
  }

  #requireRoom(group: string): void {
    const { maxWaiting, maxWaitingOfGroup } = this.#limits
    const isFull = () => this.#waiting >= maxWaiting || (this.#lines.get(group)?.length ?? 0) >= maxWaitingOfGroup
    if (!isFull()) return
    for (const [each, line] of [...this.#lines]) this.#drop(each, line.filter(isGone))
    if (isFull()) throw busy()
  }

  #drop(group: string, dropped: Waiting[]): void {
    const left = (this.#lines.get(group) ?? []).filter((waiting) => !dropped.includes(waiting))
    this.#waiting -= dropped.length
    if (left.length > 0) this.#lines.set(group, left)
    else this.#lines.delete(group)
    for (const waiting of dropped) waiting.giveUp(busy())
  }

  #startNext(): void {
    for (const [group, line] of [...this.#lines]) {
      this.#drop(group, line.filter(isGone))
      const [first, ...others] = this.#lines.get(group) ?? []
      if (!first || !this.#mayRun(group)) continue
      this.#lines.delete(group)
      if (others.length > 0) this.#lines.set(group, others) // behind the other groups
      this.#waiting--
      this.#count(group, 1)
      first.start()
    }
  }
}

const isGone = (waiting: Waiting) => waiting.isGone()

const busy = () =>
  new Failure('UNAVAILABLE', {
    says: 'Too many long reads are waiting. Send fewer at once, and try again in a moment.',
    retryAfterSeconds: 1,
  })
