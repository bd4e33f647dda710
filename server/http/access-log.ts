import type { FastifyInstance } from 'fastify'

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
