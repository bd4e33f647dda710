import { LRUCache } from 'lru-cache'
import { SECOND } from './clock.ts'

/** After this time half of what a group has used counts no more. */
const HALF_LIFE_MS = SECOND
const MAX_GROUPS = 10_000

/** How much time each group has used lately. */
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
