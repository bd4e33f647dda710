import { SECOND } from './clock.ts'
import type { Log } from './log.ts'

const MOST_KEPT = 100_000

/** Something was seen: when, and from which address. */
export interface Sighting {
  at: number
  from: string
}

/** Gathers when things were last seen, and writes it down in batches: it never delays a request and never fails one. */
export interface Sightings {
  note(id: string, sighting: Sighting): void
  /** Writes what is gathered, now. */
  flush(): Promise<void>
  /** The last flush. */
  close(): Promise<void>
}

export function createSightings(
  write: (sightings: ReadonlyMap<string, Sighting>) => Promise<void>,
  log: Log,
  everyMs = 5 * SECOND,
): Sightings {
  let gathered = new Map<string, Sighting>()
  let underWay: Promise<void> = Promise.resolve()

  const flush = () => {
    underWay = underWay.then(async () => {
      if (gathered.size === 0) return
      const batch = gathered
      gathered = new Map()
      try {
        await write(batch)
      } catch (error) {
        log.warn({ err: error }, 'last-used times could not be written; they will be tried again')
        gathered = new Map([...batch, ...gathered])
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
