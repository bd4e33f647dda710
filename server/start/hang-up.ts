import { isatty } from 'node:tty'
import { SAME_SIGNAL_WITHIN_MS } from './stop-signal.ts'

interface HangUp {
  /** The terminal is closed. */
  stop(signal: NodeJS.Signals): void
  /** An operator asks for it. */
  reload(signal: NodeJS.Signals): void
}

/**
 * A terminal sends SIGHUP when it is closed, and what runs on it is to end. From elsewhere, such as `ExecReload=` of
 * systemd, SIGHUP asks to reload. nohup redirects all three streams, so that what it starts does not end.
 */
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
