import type { FastifyInstance } from 'fastify'
import { Counter, Histogram, type Registry } from 'prom-client'
import type { Log } from '../lib/log.ts'
import { createLogSampler } from '../lib/log-sampler.ts'

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** A request that was answered. */
export interface AnsweredRequest {
  requestId: string
  method: string
  route: string
  status: number
  /** From when it arrived to when its response was sent. */
  ms: number
  ip: string
}

export type RecordRequest = (request: AnsweredRequest) => void

/** Records every request that Fastify answers. */
export function recordRequests(app: FastifyInstance, note: RecordRequest): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { id: requestId, method, ip } = request
    const route = request.routeOptions.url ?? 'other' // not the URL itself, which may contain a token or a query
    note({ requestId, method, route, status: reply.statusCode, ms: reply.elapsedTime, ip })
    done()
  })
}

/** Counts each request, and logs one line for it: refused ones at `info`, failed ones at `error`, all others at `debug`. */
export function createRecordRequest(log: Log, registry: Registry, now?: () => number): RecordRequest {
  const requests = new Counter({
    name: 'portal_http_requests_total',
    help: 'Requests answered, by route and status.',
    labelNames: ['route', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'portal_http_request_duration_seconds',
    help: 'Time from the arrival of a request to its response, by route.',
    labelNames: ['route'],
    buckets: SECONDS,
    registers: [registry],
  })
  const sample = createLogSampler(now)

  return function recordRequest(request) {
    const { route, status } = request
    requests.inc({ route, status })
    durations.observe({ route }, request.ms / 1000)
    if (status < 400 && !log.isLevelEnabled('debug')) return
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
