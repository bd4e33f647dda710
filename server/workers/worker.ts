import cluster from 'node:cluster'
import { RateLimiterCluster } from 'rate-limiter-flexible'
import { MINUTE, SECOND } from '../lib/clock.ts'
import type { ParentCounts } from '../lib/limiter.ts'
import type { Log } from '../lib/log.ts'
import { linkToParent, type WorkerLink } from './link.ts'

export const BEAT_EVERY_MS = SECOND

export interface Duties {
  /** From now on this worker does what runs without a request. */
  startBackgroundWork(): void
  /** Another worker has taken over. Resolves when it accepts no more connections; it exits when those that it has are closed. */
  retire(): Promise<void>
  /** Nobody can reach this worker any more. */
  onParentGone(): void
}

export interface WorkerProcess {
  /** Differs from those of all workers before. */
  id: number
  /** It alone is there until it serves: it prepares the database, and greets. */
  isFirst: boolean
  link: WorkerLink
  /** It serves: from now on the parent relies on it, and on its heartbeat. */
  takeUp(duties: Duties): void
  /** What runs without a request has stopped here: another may begin. */
  leaveBackgroundWork(): void
}

/** Undefined: there is no parent, and this process serves alone. */
export function joinWorkers(): WorkerProcess | undefined {
  const { worker } = cluster
  const link = linkToParent()
  if (!worker || !link) return undefined
  let onParentGone = (): void => process.exit(1)
  worker.on('disconnect', () => {
    worker.exitedAfterDisconnect = true // otherwise Node.js ends this process at once, in the midst of requests
    onParentGone()
  })
  process.on('error', () => {}) // a message to a parent that is gone
  process.on('SIGHUP', () => {}) // from a terminal it reaches all processes: the parent alone acts on it
  return {
    id: worker.id,
    isFirst: worker.id === 1,
    link,
    takeUp(duties) {
      onParentGone = duties.onParentGone
      link.onAsk('background work', duties.startBackgroundWork)
      link.onAsk('retire', duties.retire)
      link.tell('ready', {})
      setInterval(() => link.tell('beat', {}), BEAT_EVERY_MS).unref()
    },
    leaveBackgroundWork: () => link.tell('background work ended', {}),
  }
}

/** Longer than a count waits for the parent: a stall of this worker must not count as its silence, see `answeredWithin`. */
const GIVEN_UP_AFTER_MS = 5 * SECOND
/** How long this worker then counts for itself. */
const ALONE_MS = 5 * SECOND
const WARN_AGAIN_AFTER_MS = MINUTE

/** The counts of limits of all workers, which their parent has: see parent.ts. */
export function parentCounts(workers: number, log: Log): ParentCounts {
  let silentAt = Number.NEGATIVE_INFINITY
  let warnedAt = Number.NEGATIVE_INFINITY
  return {
    workers,
    counterOf: (options) => new RateLimiterCluster({ ...options, timeoutMs: GIVEN_UP_AFTER_MS }),
    isSilent: () => performance.now() - silentAt < ALONE_MS,
    noteSilence(err) {
      silentAt = performance.now()
      if (silentAt - warnedAt < WARN_AGAIN_AFTER_MS) return
      warnedAt = silentAt
      log.warn({ err }, 'the parent does not answer: limits are counted by this worker alone until it does')
    },
  }
}
