import { SECOND } from './clock.ts'
import type { Log } from './log.ts'

const MAX_PENDING = 100_000
const AT_ONCE = 100 // in the order of their ids: two writers do not deadlock

export interface Seen {
  at: number
  from: string
}

export interface LastSeen extends Seen {
  id: string
}

/** Collects when things were last seen, and writes it in batches: it never delays a request and never fails one. */
export interface LastSeenBuffer {
  note(id: string, seen: Seen): void
  flush(): Promise<void>
  /** Flushes for the last time. */
  close(): Promise<void>
}

const byId = (a: LastSeen, b: LastSeen) => (a.id < b.id ? -1 : 1)

export function createLastSeenBuffer(
  write: (batch: readonly LastSeen[]) => Promise<void>,
  log: Log,
  everyMs = 5 * SECOND,
): LastSeenBuffer {
  let pending = new Map<string, Seen>()
  let inProgress: Promise<void> = Promise.resolve()

  const flush = () => {
    inProgress = inProgress.then(async () => {
      if (pending.size === 0) return
      const left = [...pending].map(([id, seen]) => ({ id, ...seen })).sort(byId)
      pending = new Map()
      try {
        for (; left.length > 0; left.splice(0, AT_ONCE)) await write(left.slice(0, AT_ONCE))
      } catch (error) {
        log.warn({ err: error }, 'last-used times could not be written; they will be tried again')
        pending = new Map([...left.map(({ id, ...seen }) => [id, seen] as const), ...pending])
      }
    })
    return inProgress
  }

  const timer = setInterval(flush, everyMs)
  timer.unref()
  return {
    note(id, seen) {
      if (pending.size < MAX_PENDING || pending.has(id)) pending.set(id, seen)
    },
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}
