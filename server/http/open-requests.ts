import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { countLimitRefusal, LIMITS, rateLimited } from '../config/limits.ts'
import { AppError } from '../lib/app-error.ts'
import { SECOND } from '../lib/clock.ts'
import { CountByName } from '../lib/count-by-name.ts'
import { isBodyBuffered } from './body.ts'

const UNFINISHED = 'Too many requests with an incomplete body. Send complete requests.'

/**
 * Counts the requests that are not answered yet, of each connection: node:http reads on while a client sends without
 * waiting for answers. And those whose headers arrived without the whole body, of each source: each occupies a connection
 * and some memory until the rest arrives or times out.
 */
export function createOpenRequests(sourceOf: (request: IncomingMessage) => string) {
  /** By open connection: a response that waits behind another one does not always say that it is closed. */
  const openOn = new Map<Socket, number>()
  /** By source. */
  const unfinished = new CountByName()
  /** Requests with a body whose heads arrived in this iteration of the event loop. */
  let recent: IncomingMessage[] = []

  /** When the parser has delivered what came with the heads. */
  function countRecent(): void {
    const arrived = recent
    recent = []
    for (const request of arrived) {
      if (isBodyBuffered(request) || request.complete || request.destroyed) continue
      const source = sourceOf(request)
      unfinished.add(source, 1)
      request.once('close', () => unfinished.add(source, -1)) // all of it was read, or the connection is closed
    }
  }

  /** Why a request with a body is refused, if it is. */
  function refusalOf(request: IncomingMessage): AppError | undefined {
    countRecent()
    if (unfinished.of(sourceOf(request)) >= LIMITS.unfinished_requests_of_source)
      return rateLimited('unfinished_requests_of_source', SECOND, UNFINISHED)
    if (unfinished.all < LIMITS.unfinished_requests) return undefined
    countLimitRefusal('unfinished_requests')
    return new AppError('UNAVAILABLE')
  }

  return {
    /** Counts a request whose head has arrived, or says why it is refused. 'closed': nobody waits for an answer. */
    admit(request: IncomingMessage, response: ServerResponse): AppError | 'closed' | undefined {
      const { socket, headers } = request
      if (socket.destroyed) return 'closed' // the parser goes on to the end of what has arrived
      const open = (openOn.get(socket) ?? 0) + 1
      if (open > LIMITS.open_requests_of_connection) {
        countLimitRefusal('open_requests_of_connection')
        socket.destroy()
        return 'closed'
      }
      if (!openOn.has(socket)) socket.once('close', () => openOn.delete(socket))
      openOn.set(socket, open)
      response.once('close', () => {
        if (openOn.has(socket)) openOn.set(socket, (openOn.get(socket) ?? 1) - 1)
      })
      if (headers.host === undefined && request.httpVersion === '1.1')
        return new AppError('BAD_REQUEST', { message: 'Send a Host header.' }) // Node.js would refuse it without an error body
      const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
      if (!hasBody) return undefined
      const mayBeTooMany = unfinished.all + recent.length >= LIMITS.unfinished_requests_of_source
      const refusal = mayBeTooMany ? refusalOf(request) : undefined
      if (!refusal && recent.push(request) === 1) setImmediate(countRecent)
      return refusal
    },
  }
}
