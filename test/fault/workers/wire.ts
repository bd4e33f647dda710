import { answeredBy, type HttpAnswer, type HttpConnection } from '../http-connection.ts'
import type { CrewLog, Span } from './crew-log.ts'

/** A request that was not answered. */
interface Lost {
  start: number
  end: number
  why: string
  /** Who had answered the request before on its connection; undefined: it was the first. */
  by: string | undefined
}

/** Follows every request of all clients: who answered it, or how it was lost. */
export interface Wire {
  follow(connection: HttpConnection, sent: Promise<HttpAnswer>): void
  /** The processes that have answered requests which were sent after this moment. */
  answeredSince(moment: number): string[]
  /** From now on the clients themselves close connections. */
  ignoreLosses(): void
  lost: readonly Lost[]
}

export function createWire(): Wire {
  const connectedTo = new WeakMap<HttpConnection, string>()
  const lastSent = new Map<string, number>()
  const lost: Lost[] = []
  let isOver = false

  async function note(connection: HttpConnection, sent: Promise<HttpAnswer>): Promise<void> {
    const start = performance.now()
    try {
      const { head } = await sent
      const by = answeredBy(head)
      if (!by) return
      connectedTo.set(connection, by)
      lastSent.set(by, Math.max(start, lastSent.get(by) ?? 0))
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (!isOver) lost.push({ start, end: performance.now(), why, by: connectedTo.get(connection) })
    }
  }
  return {
    follow: (connection, sent) => void note(connection, sent),
    answeredSince: (moment) => [...lastSent].filter(([, sent]) => sent > moment).map(([by]) => by),
    ignoreLosses() {
      isOver = true
    },
    lost,
  }
}

/**
 * The losses that no death of a worker explains. A request is lost with the worker that has its connection; the first on
 * a connection may have been with any, or with none, when all are gone at once.
 */
export function unexplainedLosses(lost: readonly Lost[], { deaths, outages, workerOf }: CrewLog): string[] {
  const overlaps = ({ start, end }: Lost, { from, to }: Span) => start <= to && end >= from
  const isExplained = (one: Lost) => {
    const worker = one.by === undefined ? undefined : workerOf.get(one.by)
    if (one.by === undefined && outages.some((outage) => overlaps(one, outage))) return true
    return deaths.some((death) => overlaps(one, death) && (worker === undefined || worker === death.worker))
  }
  return lost
    .filter((one) => one.why !== 'connection lost' || !isExplained(one))
    .map(
      ({ start, end, why, by }) =>
        `a call to ${by === undefined ? 'any worker' : `worker ${workerOf.get(by) ?? by}`} failed: ${why}, from ${start.toFixed(3)} to ${end.toFixed(3)} ms`,
    )
}
