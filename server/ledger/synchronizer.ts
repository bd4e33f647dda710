import { SECOND } from '../lib/clock.ts'
import { PORTAL } from '../lib/command-name.ts'
import type { Log } from '../lib/log.ts'
import { createLogSampler } from '../lib/log-sampler.ts'
import { inWords, type Reconciled } from './restore-notice.ts'
import { type Sides, synchronize } from './synchronize.ts'

/** Replicas with ledgers of their own copy each other's revocations through the database, within two seconds. */
const EVERY_MS = SECOND
/** While no answer is believed: nothing works until both have been compared. */
const IN_DOUBT_EVERY_MS = 100

export interface Synchronizer {
  /** Compares until the database is believed; throws if that is not possible. Calls at the same time share it. */
  run(): Promise<void>
  /** Synchronizes from now on, as far as it is possible: returns whether the ledger has everything. */
  runAnew(): Promise<boolean>
  /** Synchronizes in the background: now, and then every second until it is closed. */
  start(): void
  close(): Promise<void>
}

interface Options {
  log: Log
  everyMs?: number | undefined
  onReconciled?: ((reconciled: Reconciled) => void) | undefined
}

export function createSynchronizer(sides: Sides, { log, everyMs = EVERY_MS, onReconciled }: Options): Synchronizer {
  const { point } = sides.database
  const logHold = createHoldLog(log)
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isStarted = false
  let isClosed = false
  const sample = createLogSampler()

  async function compare(): Promise<void> {
    do {
      const reconciled = await synchronize(sides)
      if (reconciled) {
        log.warn({ reconciled }, `the database was restored; ended again: ${inWords(reconciled)}`)
        onReconciled?.(reconciled)
      }
      logHold(sides.ledger.heldSince)
      sides.ledger.checkpoint()
    } while (point.isDoubted && !isClosed)
  }

  function run(): Promise<void> {
    running ??= compare().finally(() => {
      running = undefined
      if (isStarted) scheduleNext()
    })
    return running
  }

  /** After every comparison, whoever asked for it: the timer may have elapsed meanwhile. */
  function scheduleNext(): void {
    clearTimeout(timer)
    if (!isClosed) timer = setTimeout(start, point.isDoubted ? IN_DOUBT_EVERY_MS : everyMs).unref()
  }

  /** Requests get 503 meanwhile, and are logged with it. */
  function failed(error: unknown): void {
    sides.ledger.use.release()
    const others = sample('comparison')
    if (others !== undefined)
      log.warn(
        { err: error, ...(others && { others }) },
        'database and ledger could not be compared; this is tried again',
      )
  }

  function start(): void {
    isStarted = true
    if (!isClosed && running === undefined) run().catch(failed)
  }

  async function runAnew(): Promise<boolean> {
    await running?.catch(() => undefined) // a run that may have begun before
    try {
      await run()
      return sides.ledger.behind === 0
    } catch (error) {
      failed(error)
      return false
    }
  }

  return {
    run,
    runAnew,
    start,
    async close() {
      isClosed = true
      clearTimeout(timer)
      await running?.catch(() => undefined)
    },
  }
}

/** Logs when a hold begins or ends, as seen by this process: to be called after each comparison. */
function createHoldLog(log: Log): (heldSince: number | null) => void {
  let before: number | null = null
  return (heldSince) => {
    const isHeld = heldSince !== null
    if (isHeld && before === null)
      log.warn(
        { heldSince: new Date(heldSince).toISOString() },
        `API keys are held: revocations are missing from the database, and no key is accepted. Start a process whose ledger has them, or decide with ${PORTAL} restore accept`,
      )
    if (!isHeld && before !== null) log.warn('API keys are accepted again: the hold has ended')
    before = heldSince
  }
}
