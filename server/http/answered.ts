import type { FastifyInstance } from 'fastify'

/** A request that was answered, for whoever takes notes. */
export interface Answered {
  requestId: string
  method: string
  route: string
  status: number
  /** From when it came to when its answer went. */
  ms: number
  ip: string
}

export type NoteAnswer = (answered: Answered) => void

/** Takes note of all that Fastify answers. */
export function noteAnswers(app: FastifyInstance, note: NoteAnswer): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { id: requestId, method, ip } = request
    const route = request.routeOptions.url ?? 'other' // not the address itself: a link or a query may stand in it
    note({ requestId, method, route, status: reply.statusCode, ms: reply.elapsedTime, ip })
    done()
  })
}
