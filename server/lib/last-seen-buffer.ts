import { SECOND } from './clock.ts'
import type { Log } from './log.ts'

const MOST_KEPT = 100_000
const AT_ONCE = 100 // in the order of their ids: two writers do not deadlock

/** When and from which address something was seen. */
export interface CheckInNote {
  at: number
  from: string
}

export interface NotedCheckIn extends CheckInNote {
  id: string
}

/** Collects when things were last seen, and writes it in batches: it never delays a request and never fails one. */
export interface LastSeenBuffer {
  note(id: string, sighting: CheckInNote): void
  /** Writes what is collected, now. */
  flush(): Promise<void>
  /** Flushes for the last time. */
  close(): Promise<void>
}

const byId = (a: NotedCheckIn, b: NotedCheckIn) => (a.id < b.id ? -1 : 1)

export function createLastSeenBuffer(
  write: (sightings: readonly NotedCheckIn[]) => Promise<void>,
  log: Log,
  everyMs = 5 * SECOND,
): LastSeenBuffer {
  let gathered = new Map<string, CheckInNote>()
  let underWay: Promise<void> = Promise.resolve()

  const flush = () => {
    underWay = underWay.then(async () => {
      if (gathered.size === 0) return
      const left = [...gathered].map(([id, sighting]) => ({ id, ...sighting })).sort(byId)
      gathered = new Map()
      try {
        for (; left.length > 0; left.splice(0, AT_ONCE)) await write(left.slice(0, AT_ONCE))
      } catch (error) {
        log.warn({ err: error }, 'last-used times could not be written; they will be tried again')
        gathered = new Map([...left.map(({ id, ...sighting }) => [id, sighting] as const), ...gathered])
      }
    })
    return underWay
  }

  const timer = setInterval(flush, everyMs)
  timer.unref()
  return {
    note(id, sighting) {
      if (gathered.size < MOST_KEPT || gathered.has(id)) gathered.set(id, sighting)
    },
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}
