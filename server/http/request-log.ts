import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Log } from '../lib/log.ts'

/** One line for each request: who is refused at `info`, what fails at `error`, all others at `debug`. */
export function addRequestLog(app: FastifyInstance, log: Log): void {
  app.addHook('onResponse', (request, reply, done) => {
    const level = levelOf(reply)
    if (log.isLevelEnabled(level)) {
      const { id: requestId, method, ip } = request
      const route = request.routeOptions.url ?? 'other' // not the address itself: a link or a query may stand in it
      const ms = Math.round(reply.elapsedTime * 10) / 10
      log[level]({ requestId, method, route, status: reply.statusCode, ms, ip }, 'request')
    }
    done()
  })
}

function levelOf({ statusCode }: FastifyReply): 'debug' | 'info' | 'error' {
  if (statusCode >= 500) return 'error'
  return statusCode >= 400 ? 'info' : 'debug'
}
