import { SECOND } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

export const GIVE_UP_MS = 9.5 * SECOND
export const SAME_SIGNAL_WITHIN_MS = 0.5 * SECOND

interface Stop {
  /** How long requests are still accepted after the signal, so that balancers notice in time. */
  drainMs: number
  /** Makes balancers notice. */
  begin(): void
  close(): Promise<void>
}

/**
 * Stops on SIGTERM or SIGINT: first it drains, then it closes. A second signal ends the drain; one that arrives with the
 * first is the same one, sent to a process group and passed on by bin/portal.js or by the parent of workers too. Returns
 * a way to stop without a drain, for other reasons.
 */
export function onStopSignal(log: Log, { drainMs, begin, close }: Stop): (reason: string) => Promise<void> {
  let firstAt: number | undefined
  const { promise: secondSignal, resolve: endDrain } = Promise.withResolvers<void>()
  const stop = async (signal: string) => {
    if (firstAt !== undefined) {
      if (performance.now() - firstAt > SAME_SIGNAL_WITHIN_MS) endDrain()
      return
    }
    firstAt = performance.now()
    begin()
    if (drainMs > 0) {
      log.info({ signal, seconds: drainMs / SECOND }, 'draining')
      await Promise.race([new Promise((resolve) => setTimeout(resolve, drainMs)), secondSignal])
    }
    log.info({ signal }, 'closing')
    setTimeout(() => {
      log.error('could not close in time')
      process.exit(1)
    }, GIVE_UP_MS).unref()
    await close()
    log.info('closed')
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  return async (reason) => {
    endDrain()
    await stop(reason)
  }
}
