import { LRUCache } from 'lru-cache'
import { SECOND } from './clock.ts'

export type Refusal = 'group full' | 'full' | 'late' | 'disconnected'

export interface QueueLimits {
  maxWaiting: number
  maxWaitingOfGroup: number
  /** Without it, one waits until one is served. */
  patienceMs?: number | undefined
  refusal(reason: Refusal): Error
  /** In milliseconds; tests bring their own. */
  now?: () => number
}

interface Options<Who> extends QueueLimits {
  /** Asked when it is one's turn, and of those who wait when there is no room for another. */
  isDisconnected?: (who: Who) => boolean
}

interface Waiting<Who, Grant> extends PromiseWithResolvers<Grant> {
  readonly who: Who
  timer?: NodeJS.Timeout
}

/**
 * A queue of those who wait for something, by group. The group that has used the least time lately is served next, and those that
 * have used the same in turn (round robin), however many of one wait; within a group it is first come, first served.
 * Nobody waits longer than the time limit, and whoever has disconnected is skipped. The queue is bounded: when it is full,
 * the largest group loses its last one to a smaller group.
 * While there is room, waiting takes constant time, and being served a look at each group.
 */
export class FairQueue<Who extends { group: string }, Grant = void> {
  readonly #options: Options<Who>
  /** Who waits, by group: in the order in which groups are served. None is empty. */
  readonly #groups = new Map<string, Set<Waiting<Who, Grant>>>()
  readonly #used: TimeUsed
  #size = 0

  constructor(options: Options<Who>) {
    this.#options = options
    this.#used = new TimeUsed(options.now)
  }

  get size(): number {
    return this.#size
  }

  /** Resolves to what one is served with. */
  async wait(who: Who): Promise<Grant> {
    this.#requireRoom(who.group)
    const group = this.#groups.get(who.group) ?? new Set()
    this.#groups.set(who.group, group)
    const waiting: Waiting<Who, Grant> = { ...Promise.withResolvers<Grant>(), who }
    group.add(waiting)
    this.#size++
    const { patienceMs } = this.#options
    if (patienceMs !== undefined) waiting.timer = setTimeout(() => this.#refuse(waiting, 'late'), patienceMs)
    return waiting.promise
  }

  /** A group was served for so long: others that wait have as much time before it is next. */
  noteUse(group: string, ms: number): void {
    this.#used.add(group, ms)
  }

  /** Takes out whoever is next, of the groups that may be served. */
  next(may: (group: string) => boolean): Waiting<Who, Grant> | undefined {
    for (let name = this.#nextGroup(may); name !== undefined; name = this.#nextGroup(may)) {
      const group = this.#groups.get(name) ?? new Set()
      this.#groups.delete(name)
      this.#groups.set(name, group) // to the end
      for (const waiting of group) if (!this.#refuseIfDisconnected(waiting)) return this.#take(waiting)
    }
    return undefined
  }

  #nextGroup(may: (group: string) => boolean): string | undefined {
    let next: string | undefined
    let least = Number.POSITIVE_INFINITY
    for (const name of this.#groups.keys()) {
      const used = this.#used.of(name)
      if (used >= least || !may(name)) continue
      next = name
      least = used
    }
    return next
  }

  /** Takes out whoever comes before all others in an order of its own, not in turn. It looks at all who wait. */
  nextBy(isBefore: (one: Who, other: Who) => boolean): Waiting<Who, Grant> | undefined {
    let first: Waiting<Who, Grant> | undefined
    for (const waiting of this.#all())
      if (!this.#refuseIfDisconnected(waiting) && (!first || isBefore(waiting.who, first.who))) first = waiting
    return first && this.#take(first)
  }

  rejectAll(error: unknown): void {
    for (const waiting of this.#all()) this.#take(waiting).reject(error)
  }

  *#all() {
    for (const group of this.#groups.values()) yield* group
  }

  #take(waiting: Waiting<Who, Grant>): Waiting<Who, Grant> {
    const { timer, who } = waiting
    clearTimeout(timer)
    const group = this.#groups.get(who.group)
    group?.delete(waiting)
    this.#size--
    if (group?.size === 0) this.#groups.delete(who.group)
    return waiting
  }

  #refuse(waiting: Waiting<Who, Grant>, reason: Refusal): void {
    this.#take(waiting).reject(this.#options.refusal(reason))
  }

  #refuseDisconnected(all: Iterable<Waiting<Who, Grant>>): void {
    if (this.#options.isDisconnected) for (const waiting of all) this.#refuseIfDisconnected(waiting)
  }

  #refuseIfDisconnected(waiting: Waiting<Who, Grant>): boolean {
    const isDisconnected = this.#options.isDisconnected?.(waiting.who) ?? false
    if (isDisconnected) this.#refuse(waiting, 'disconnected')
    return isDisconnected
  }

  #requireRoom(name: string): void {
    const { maxWaiting, maxWaitingOfGroup, refusal } = this.#options
    const ownSize = () => this.#groups.get(name)?.size ?? 0
    if (ownSize() >= maxWaitingOfGroup) this.#refuseDisconnected(this.#groups.get(name) ?? [])
    if (ownSize() >= maxWaitingOfGroup) throw refusal('group full')
    if (this.#size >= maxWaiting) this.#refuseDisconnected(this.#all())
    if (this.#size >= maxWaiting) this.#makeRoom(ownSize() + 1)
  }

  /** At the expense of a group that is larger than this one will be. */
  #makeRoom(size: number): void {
    let largest: Set<Waiting<Who, Grant>> | undefined
    for (const group of this.#groups.values()) if (group.size > (largest?.size ?? size)) largest = group
    const last = [...(largest ?? [])].at(-1)
    if (!last) throw this.#options.refusal('full')
    this.#refuse(last, 'full')
  }
}

/** After this time half of what a group has used counts no more. */
const HALF_LIFE_MS = SECOND
const MAX_GROUPS = 10_000

export class TimeUsed {
  readonly #now: () => number
  readonly #of = new LRUCache<string, { ms: number; at: number }>({ max: MAX_GROUPS })

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  add(group: string, ms: number): void {
    this.#of.set(group, { ms: this.of(group) + ms, at: this.#now() })
  }

  of(group: string): number {
    const used = this.#of.get(group)
    return used ? used.ms * 0.5 ** ((this.#now() - used.at) / HALF_LIFE_MS) : 0
  }
}
