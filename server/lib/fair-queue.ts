import { type Entry, LinkedList } from './linked-list.ts'
import { TimeUsed } from './time-used.ts'

/** Why somebody is not served. */
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
  readonly group: Entry<Group<Who, Grant>>
  timer?: NodeJS.Timeout
}

interface Group<Who, Grant> {
  readonly name: string
  readonly waiting: LinkedList<Waiting<Who, Grant>>
}

/**
 * Those who wait for something, by group. The group that has used the least time lately is served next, and those that
 * have used the same in turn (round robin), however many of one wait; within a group it is first come, first served.
 * Nobody waits longer than the time limit, and whoever has disconnected is skipped. The queue is bounded: when it is full,
 * the largest group loses its last one to a smaller group.
 *
 * While there is room, waiting takes constant time, and being served a look at each group.
 */
export class FairQueue<Who extends { group: string }, Grant = void> {
  readonly #options: Options<Who>
  /** In the order in which they are served. None is empty. */
  readonly #groups = new LinkedList<Group<Who, Grant>>()
  readonly #byName = new Map<string, Entry<Group<Who, Grant>>>()
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
    const group = this.#byName.get(who.group) ?? this.#addGroup(who.group)
    const waiting: Waiting<Who, Grant> = { ...Promise.withResolvers<Grant>(), who, group }
    const entry = group.value.waiting.add(waiting)
    this.#size++
    const { patienceMs } = this.#options
    if (patienceMs !== undefined) waiting.timer = setTimeout(() => this.#refuse(entry, 'late'), patienceMs)
    return waiting.promise
  }

  /** A group was served for so long: others that wait have as much time before it is next. */
  noteUse(group: string, ms: number): void {
    this.#used.add(group, ms)
  }

  /** Takes out whoever is next, of the groups that may be served. */
  next(may: (group: string) => boolean): Waiting<Who, Grant> | undefined {
    for (let group = this.#nextGroup(may); group; group = this.#nextGroup(may)) {
      for (const entry of group.value.waiting) {
        if (this.#refuseIfDisconnected(entry)) continue
        this.#groups.moveToEnd(group)
        return this.#take(entry)
      }
    }
    return undefined
  }

  #nextGroup(may: (group: string) => boolean): Entry<Group<Who, Grant>> | undefined {
    let next: Entry<Group<Who, Grant>> | undefined
    let least = Number.POSITIVE_INFINITY
    for (const group of this.#groups) {
      const used = this.#used.of(group.value.name)
      if (used >= least || !may(group.value.name)) continue
      next = group
      least = used
    }
    return next
  }

  /** Takes out whoever comes before all others in an order of its own, not in turn. It looks at all who wait. */
  nextBy(isBefore: (one: Who, other: Who) => boolean): Waiting<Who, Grant> | undefined {
    let first: Entry<Waiting<Who, Grant>> | undefined
    for (const entry of this.#all()) {
      if (this.#refuseIfDisconnected(entry)) continue
      if (!first || isBefore(entry.value.who, first.value.who)) first = entry
    }
    return first && this.#take(first)
  }

  rejectAll(error: unknown): void {
    for (const entry of this.#all()) this.#take(entry).reject(error)
  }

  *#all() {
    for (const { value } of this.#groups) yield* value.waiting
  }

  #addGroup(name: string): Entry<Group<Who, Grant>> {
    const group = this.#groups.add({ name, waiting: new LinkedList<Waiting<Who, Grant>>() })
    this.#byName.set(name, group)
    return group
  }

  #take(entry: Entry<Waiting<Who, Grant>>): Waiting<Who, Grant> {
    const { group, timer } = entry.value
    clearTimeout(timer)
    group.value.waiting.remove(entry)
    this.#size--
    if (group.value.waiting.size === 0) {
      this.#groups.remove(group)
      this.#byName.delete(group.value.name)
    }
    return entry.value
  }

  #refuse(entry: Entry<Waiting<Who, Grant>>, reason: Refusal): void {
    this.#take(entry).reject(this.#options.refusal(reason))
  }

  #refuseDisconnected(entries: Iterable<Entry<Waiting<Who, Grant>>>): void {
    if (this.#options.isDisconnected) for (const entry of entries) this.#refuseIfDisconnected(entry)
  }

  #refuseIfDisconnected(entry: Entry<Waiting<Who, Grant>>): boolean {
    const isDisconnected = this.#options.isDisconnected?.(entry.value.who) ?? false
    if (isDisconnected) this.#refuse(entry, 'disconnected')
    return isDisconnected
  }

  #requireRoom(name: string): void {
    const { maxWaiting, maxWaitingOfGroup, refusal } = this.#options
    const own = () => this.#byName.get(name)?.value.waiting
    const isGroupFull = () => (own()?.size ?? 0) >= maxWaitingOfGroup
    if (isGroupFull()) this.#refuseDisconnected(own() ?? [])
    if (isGroupFull()) throw refusal('group full')
    if (this.#size >= maxWaiting) this.#refuseDisconnected(this.#all())
    if (this.#size >= maxWaiting) this.#makeRoom((own()?.size ?? 0) + 1)
  }

  /** At the expense of a group that is larger than this one will be. */
  #makeRoom(size: number): void {
    let largest: Group<Who, Grant> | undefined
    for (const { value } of this.#groups) if (value.waiting.size > (largest?.waiting.size ?? size)) largest = value
    const last = largest?.waiting.last
    if (!last) throw this.#options.refusal('full')
    this.#refuse(last, 'full')
  }
}
