import { isatty } from 'node:tty'
import { SECOND } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

export const GIVE_UP_MS = 9.5 * SECOND
const SAME_SIGNAL_WITHIN_MS = 0.5 * SECOND

interface Stop {
  /** How long requests are still accepted after the signal, so that balancers notice in time. */
  drainMs: number
  begin(): void
  close(): Promise<void>
}

/** Drains and then closes on SIGTERM or SIGINT; a second signal ends the drain. Returns a way to stop without a drain. */
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

interface HangUp {
  stop(signal: NodeJS.Signals): void
  reload(signal: NodeJS.Signals): void
}

/** SIGHUP of a terminal that is closed means to end, that of systemd or others to reload. nohup redirects all three streams. */
export function onHangUp({ stop, reload }: HangUp): void {
  if ([0, 1, 2].some((stream) => isatty(stream))) process.on('SIGHUP', stop)
  else process.on('SIGHUP', withoutRepeats(reload))
}

/** A signal that comes with another one is the same: sent to a process group, and passed on by bin/portal.js too. */
function withoutRepeats(handle: HangUp['reload']): HangUp['reload'] {
  let lastAt = Number.NEGATIVE_INFINITY
  return (signal) => {
    const isRepeated = performance.now() - lastAt < SAME_SIGNAL_WITHIN_MS
    lastAt = performance.now()
    if (!isRepeated) handle(signal)
  }
}
