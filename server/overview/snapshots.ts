import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { SECOND } from '../lib/clock.ts'

const MAX_ORGANIZATIONS = 1000
/** Within this time an organization is not read again. */
const FRESH_MS = 5 * SECOND
/** A read that took 100 ms is repeated after 2 s at the earliest, so it takes at most a twentieth of one thread. */
const REST = 20
/** How long a request waits for a read, unless the last one took longer: then it gets the result of that one. */
const PATIENCE_MS = 8

export interface Snapshot<Value> {
  value: Value
  at: number
}

interface Entry<Value> {
  snapshot?: Snapshot<Value>
  inProgress?: Promise<void> | undefined
  dueAt: number
  tookMs: number
  failure?: unknown
}

/** The last result of a read that is too long for a request: it starts the next one, and does not wait for it. */
export class Snapshots<Value extends object> {
  readonly #entries = new LRUCache<string, Entry<Value>>({ max: MAX_ORGANIZATIONS })

  /** Undefined until the first read is done. A read that failed throws for the next request, and is tried again. */
  async latest(
    organizationId: string,
    now: number,
    read: () => Promise<Value>,
    patienceMs = PATIENCE_MS,
  ): Promise<Snapshot<Value> | undefined> {
    const entry = this.#entries.get(organizationId) ?? { dueAt: 0, tookMs: 0 }
    this.#entries.set(organizationId, entry)
    if (!entry.inProgress && now >= entry.dueAt) entry.inProgress = refresh(entry, now, read)
    if (entry.inProgress && entry.tookMs <= patienceMs)
      await Promise.race([entry.inProgress, pause(patienceMs, undefined, { ref: false })])
    if ('failure' in entry) {
      const { failure } = entry
      delete entry.failure
      throw failure
    }
    return entry.snapshot
  }
}

async function refresh<Value>(entry: Entry<Value>, now: number, read: () => Promise<Value>): Promise<void> {
  const begin = performance.now()
  try {
    entry.snapshot = { value: await read(), at: now }
  } catch (error) {
    entry.failure = error
  }
  entry.tookMs = performance.now() - begin
  entry.dueAt = now + Math.max(FRESH_MS, entry.tookMs * REST)
  entry.inProgress = undefined
}
