import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Log } from '../lib/log.ts'
import { createOnceASecond } from '../lib/once-a-second.ts'

/** One line for each request: what is refused at `info`, what fails at `error`, all others at `debug`. */
export function addRequestLog(app: FastifyInstance, log: Log): void {
  const others = createOnceASecond()
  app.addHook('onResponse', (request, reply, done) => {
    const { id: requestId, method, ip } = request
    const kind = seldomTold(reply, ip)
    const since = kind === undefined ? 0 : others(kind)
    const level = since === undefined ? 'debug' : levelOf(reply)
    if (log.isLevelEnabled(level)) {
      const route = request.routeOptions.url ?? 'other' // not the address itself: a link or a query may stand in it
      const ms = Math.round(reply.elapsedTime * 10) / 10
      const line = { requestId, method, route, status: reply.statusCode, ms, ip, ...(since && { others: since }) }
      log[level](line, 'request')
    }
    done()
  })
}

function levelOf({ statusCode }: FastifyReply): 'debug' | 'info' | 'error' {
  if (statusCode >= 500) return 'error'
  return statusCode >= 400 ? 'info' : 'debug'
}

/** Somebody without a good key or session, told of by where they come from; or an outage, which is the same for everybody. */
function seldomTold({ statusCode }: FastifyReply, ip: string): string | undefined {
  if (statusCode === 503) return 'unavailable'
  return statusCode === 401 || statusCode === 429 ? ip : undefined
}
