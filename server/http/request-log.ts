import type { FastifyInstance, FastifyReply } from 'fastify'
import { SECOND } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

const MOST_SOURCES = 10_000

/** One line for each request: what is refused at `info`, what fails at `error`, all others at `debug`. */
export function addRequestLog(app: FastifyInstance, log: Log): void {
  const knocks = createKnocks()
  app.addHook('onResponse', (request, reply, done) => {
    const { id: requestId, method, ip } = request
    const others = isKnock(reply) ? knocks(ip) : 0
    const level = others === undefined ? 'debug' : levelOf(reply)
    if (log.isLevelEnabled(level)) {
      const route = request.routeOptions.url ?? 'other' // not the address itself: a link or a query may stand in it
      const ms = Math.round(reply.elapsedTime * 10) / 10
      const line = { requestId, method, route, status: reply.statusCode, ms, ip, ...(others && { others }) }
      log[level](line, 'request')
    }
    done()
  })
}

function levelOf({ statusCode }: FastifyReply): 'debug' | 'info' | 'error' {
  if (statusCode >= 500) return 'error'
  return statusCode >= 400 ? 'info' : 'debug'
}

/** Somebody without a good key or session. */
const isKnock = ({ statusCode }: FastifyReply) => statusCode === 401 || statusCode === 429

/**
 * Strangers must not fill the disk: each source is told of once a second, with how many others came since; undefined means
 * that this one is for the curious alone.
 */
function createKnocks(): (source: string) => number | undefined {
  const told = new Map<string, { at: number; since: number }>()
  return (source) => {
    const last = told.get(source)
    if (last && performance.now() - last.at < SECOND) {
      last.since++
      return undefined
    }
    if (told.size >= MOST_SOURCES) told.clear()
    told.set(source, { at: performance.now(), since: 0 })
    return last?.since ?? 0
  }
}
