import type { AppError } from './app-error.ts'
import type { Log } from './log.ts'
import { createLogSampler } from './log-sampler.ts'

/** By log, weakly: each server has its own, and where a process has several, none takes the line of another. */
const samplers = new WeakMap<Log, ReturnType<typeof createLogSampler>>()

/** Logs why a request could not be answered, at most once a second: during an outage the reason is the same for all. */
export function logUnavailable(log: Log, failure: AppError, requestId?: string): void {
  const sample = samplers.get(log) ?? createLogSampler()
  samplers.set(log, sample)
  const others = sample('unavailable')
  const line = { ...(requestId && { requestId }), err: failure.cause ?? failure, ...(others && { others }) }
  log[others === undefined ? 'debug' : 'warn'](line, 'unavailable')
}
