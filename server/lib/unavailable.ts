import type { Failure } from './failure.ts'
import type { Log } from './log.ts'
import { createOnceASecond } from './once-a-second.ts'

const told = new WeakMap<Log, ReturnType<typeof createOnceASecond>>()

/** Tells why something could not be answered: once a second, since during an outage it is the same for everybody. */
export function tellUnavailable(log: Log, failure: Failure, requestId?: string): void {
  const onceASecond = told.get(log) ?? createOnceASecond()
  told.set(log, onceASecond)
  const others = onceASecond('unavailable')
  const line = { ...(requestId && { requestId }), err: failure.cause ?? failure, ...(others && { others }) }
  log[others === undefined ? 'debug' : 'warn'](line, 'unavailable')
}
