import { AppError } from './app-error.ts'

interface Limits {
  /** Of all groups together. */
  atOnce: number
  atOnceOfGroup: number
  maxWaiting: number
  maxWaitingOfGroup: number
  /** Without it, whoever waits does so until the turn comes. */
  patienceMs?: number
}

interface Waiting {
  start(): void
  giveUp(error: Error): void
  isDisconnected(): boolean
}

/**
 * A bounded number of tasks at once, taken from each group in turn: a group with many tasks delays only itself. The
 * wait has a limit, and tasks of disconnected clients are skipped.
 */
export class FairQueue {
  readonly #limits: Limits
  readonly #refusal: (isGroupFull: boolean) => Error
  /** In the order in which groups have their turn. */
  readonly #lines = new Map<string, Waiting[]>()
  readonly #runningOf = new Map<string, number>()
  #running = 0
  #waiting = 0

  constructor(limits: Limits, refusal: (isGroupFull: boolean) => Error = busy) {
    this.#limits = limits
    this.#refusal = refusal
  }

  async run<Result>(
    group: string,
    work: () => Promise<Result>,
    isDisconnected: () => boolean = () => false,
  ): Promise<Result> {
    if (this.#mayRun(group)) this.#count(group, 1)
    else await this.#wait(group, isDisconnected)
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

  async #wait(group: string, isDisconnected: () => boolean): Promise<void> {
    this.#requireRoom(group)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { start: resolve, giveUp: reject, isDisconnected }
    const line = this.#lines.get(group) ?? []
    line.push(waiting)
    this.#lines.set(group, line)
    this.#waiting++
    const { patienceMs } = this.#limits
    const giveUp = () => this.#drop(group, [waiting])
    const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs)
    try {
      await promise
    } finally {
      clearTimeout(timer)
    }
  }

  #requireRoom(group: string): void {
    const { maxWaiting, maxWaitingOfGroup } = this.#limits
    const isGroupFull = () => (this.#lines.get(group)?.length ?? 0) >= maxWaitingOfGroup
    const isFull = () => this.#waiting >= maxWaiting || isGroupFull()
    if (!isFull()) return
    for (const [each, line] of [...this.#lines]) this.#drop(each, line.filter(isDisconnected))
    if (isFull()) throw this.#refusal(isGroupFull())
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
      this.#drop(group, line.filter(isDisconnected))
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

const isDisconnected = (waiting: Waiting) => waiting.isDisconnected()

const busy = () =>
  new AppError('UNAVAILABLE', {
    message: 'Too many expensive queries are waiting. Send fewer at once, and try again in a moment.',
    retryAfterSeconds: 1,
  })
