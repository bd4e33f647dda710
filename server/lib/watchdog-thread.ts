import { writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { workerData } from 'node:worker_threads'
import { systemClock } from './clock.ts'

/* Imports next to nothing, so that it needs little memory. */

const STDERR = 2
const FATAL = 60 // as pino numbers it

/** The places in the shared memory. */
export const SIGNS = 0
export const STALLED = 1

export interface WatchdogData {
  shared: Int32Array
  tickMs: number
  /** So many ticks without a sign: the process is ended. */
  fatalTicks: number
  /** So many ticks without a sign: it is told for as long as `toldForTicks`. */
  stalledTicks: number
  toldForTicks: number
}

/**
 * Counts its own ticks without a sign of the event loop, not seconds: on a machine that was paused nobody ticks. The process is
 * killed, since a held event loop hears no other signal; whatever was answered is on the disk.
 */
function watch({ shared, tickMs, fatalTicks, stalledTicks, toldForTicks }: WatchdogData): void {
  let seen = 0
  let silent = 0
  let toldFor = 0
  setInterval(() => {
    const signs = Atomics.load(shared, SIGNS)
    silent = signs === seen ? silent + 1 : 0
    seen = signs
    toldFor = silent >= stalledTicks ? toldForTicks : Math.max(0, toldFor - 1)
    Atomics.store(shared, STALLED, toldFor > 0 ? 1 : 0)
    if (silent < fatalTicks) return
    const msg = `ended by the watchdog: the event loop gave no sign for ${silent} ticks of ${tickMs} ms`
    const line = { level: FATAL, time: systemClock(), pid: process.pid, hostname: hostname(), msg }
    writeSync(STDERR, `${JSON.stringify(line)}\n`)
    process.kill(process.pid, 'SIGKILL')
  }, tickMs)
}

if (workerData) watch(workerData as WatchdogData) // as watchdog.ts gives it
