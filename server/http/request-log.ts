import type { Log } from '../lib/log.ts'
import { createLogSampler } from '../lib/log-sampler.ts'
import type { AnsweredRequest, RecordRequest } from './access-log.ts'

/** One line for each request: refused ones at `info`, failed ones at `error`, all others at `debug`. */
export function createRequestLog(log: Log, now?: () => number): RecordRequest {
  const sample = createLogSampler(now)
  return (request) => {
    const group = samplingGroup(request)
    const others = group === undefined ? 0 : sample(group)
    const level = others === undefined ? 'debug' : levelOf(request)
    if (!log.isLevelEnabled(level)) return
    const ms = Math.round(request.ms * 10) / 10
    log[level]({ ...request, ms, ...(others && { others }) }, 'request')
  }
}

function levelOf({ route, status }: AnsweredRequest): 'debug' | 'info' | 'error' {
  if (route === '/health/ready' && status === 503) return 'info' // an answer; the reason has a line of its own
  if (status >= 500) return 'error'
  return status >= 400 ? 'info' : 'debug'
}

/** Requests without a valid key or session, grouped by their source; or an outage, which is the same for everybody. */
function samplingGroup({ status, ip }: AnsweredRequest): string | undefined {
  if (status === 503) return 'unavailable'
  return status === 401 || status === 429 ? ip : undefined
}
