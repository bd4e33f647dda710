import { writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { workerData } from 'node:worker_threads'
import { systemClock } from './clock.ts'

/** Imports almost nothing, so that it needs little memory. */

const STDERR = 2
const FATAL = 60 // pino's number

export const SIGNALS = 0
export const STALLED = 1

export interface WatchdogData {
  shared: Int32Array
  tickMs: number
  /** This many ticks without a signal: the process is killed. */
  fatalTicks: number
  /** This many ticks without a signal: it is reported for as long as `reportedForTicks`. */
  stalledTicks: number
  reportedForTicks: number
}

/**
 * Counts its own ticks without a signal of the event loop, not seconds: on a machine that was paused nothing ticks. The
 * process is killed, since a blocked event loop receives no other signal; everything that was answered is on disk.
 */
function watch({ shared, tickMs, fatalTicks, stalledTicks, reportedForTicks }: WatchdogData): void {
  let seen = 0
  let silent = 0
  let reportedFor = 0
  setInterval(() => {
    const signals = Atomics.load(shared, SIGNALS)
    silent = signals === seen ? silent + 1 : 0
    seen = signals
    reportedFor = silent >= stalledTicks ? reportedForTicks : Math.max(0, reportedFor - 1)
    Atomics.store(shared, STALLED, reportedFor > 0 ? 1 : 0)
    if (silent < fatalTicks) return
    const msg = `killed by the watchdog: the event loop did not respond for ${silent} ticks of ${tickMs} ms`
    const line = { level: FATAL, time: systemClock(), pid: process.pid, hostname: hostname(), msg }
    try {
      writeSync(STDERR, `${JSON.stringify(line)}\n`)
    } finally {
      process.kill(process.pid, 'SIGKILL') // whether or not the log can be written
    }
  }, tickMs)
}

if (workerData) watch(workerData as WatchdogData) // as watchdog.ts passes it
