import { SECOND } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { inWords } from './restore-notice.ts'
import { type Sides, synchronize } from './synchronize.ts'

/** Replicas with ledgers of their own copy each other's revocations through the database, within two seconds. */
const EVERY_MS = SECOND

export interface Synchronizer {
  /** Compares until the database is believed; throws if that is not possible. Calls at the same time share it. */
  run(): Promise<void>
  /** The same in the background: now, and then every second until it is closed. */
  start(): void
  close(): Promise<void>
}

export function createSynchronizer(sides: Sides, log: Log, everyMs = EVERY_MS): Synchronizer {
  const { point } = sides.database
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isClosed = false

  async function compare(): Promise<void> {
    do {
      const reconciled = await synchronize(sides)
      if (reconciled) log.warn({ reconciled }, `the database was restored; ended again: ${inWords(reconciled)}`)
    } while (point.isDoubted && !isClosed)
  }

  function run(): Promise<void> {
    running ??= compare().finally(() => {
      running = undefined
    })
    return running
  }

  function start(): void {
    if (isClosed || running !== undefined) return
    clearTimeout(timer)
    run()
      .catch((error) => log.error({ err: error }, 'database and ledger could not be compared; this is tried again'))
      .finally(() => {
        if (!isClosed) timer = setTimeout(start, everyMs).unref()
      })
  }

  return {
    run,
    start,
    async close() {
      isClosed = true
      clearTimeout(timer)
      await running?.catch(() => undefined)
    },
  }
}
