import { Worker } from 'node:worker_threads'
import { SECOND } from './clock.ts'
import { SIGNALS, STALLED, type WatchdogData } from './watchdog-thread.ts'

export const WATCHDOG = { tickMs: SECOND, fatalTicks: 10, stalledTicks: 2, reportedForTicks: 10 }

export interface Watchdog {
  /** Whether the event loop was blocked for seconds a short time ago. */
  isStalled(): boolean
}

/** A thread that kills the process when its event loop is blocked for good, so that a supervisor starts another. */
export function startWatchdog(given: Partial<typeof WATCHDOG> = {}): Watchdog {
  const times = { ...WATCHDOG, ...given }
  const shared = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  const workerData: WatchdogData = { ...times, shared }
  new Worker(new URL('./watchdog-thread.ts', import.meta.url), { workerData }).unref()
  setInterval(() => Atomics.add(shared, SIGNALS, 1), times.tickMs / 4).unref()
  return { isStalled: () => Atomics.load(shared, STALLED) === 1 }
}
