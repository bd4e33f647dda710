import { CountByName } from './count-by-name.ts'
import { FairQueue, type QueueLimits } from './fair-queue.ts'

interface Limits extends QueueLimits {
  /** The limit of all groups together. */
  atOnce: number
  atOnceOfGroup: number
}

/** A bounded number of tasks at once. The others wait in a fair queue: a group with many or long tasks delays only itself. */
export class ConcurrencyLimit {
  readonly #limits: Limits
  readonly #queue: FairQueue<{ group: string; isDisconnected: () => boolean }>
  readonly #running = new CountByName()
  readonly #now: () => number

  constructor(limits: Limits) {
    this.#now = limits.now ?? (() => performance.now())
    this.#limits = limits
    this.#queue = new FairQueue({ ...limits, isDisconnected: (who) => who.isDisconnected() })
  }

  /** Throws what `refusal` gives when the task cannot wait, or has waited too long. */
  async run<Result>(
    group: string,
    task: () => Promise<Result>,
    isDisconnected: () => boolean = () => false,
  ): Promise<Result> {
    if (this.#mayRun(group)) this.#running.add(group, 1)
    else await this.#queue.wait({ group, isDisconnected })
    const began = this.#now()
    try {
      return await task()
    } finally {
      this.#queue.noteUse(group, this.#now() - began)
      this.#running.add(group, -1)
      this.#startNext()
    }
  }

  #mayRun(group: string): boolean {
    return this.#running.all < this.#limits.atOnce && this.#running.of(group) < this.#limits.atOnceOfGroup
  }

  #startNext(): void {
    const next = this.#queue.next((group) => this.#mayRun(group))
    if (!next) return
    this.#running.add(next.who.group, 1)
    next.resolve()
  }
}
