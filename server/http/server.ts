import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { countLimitRefusal, LIMITS } from '../config/limits.ts'
import { AppError } from '../lib/app-error.ts'
import { MINUTE, SECOND } from '../lib/clock.ts'
import { waitForTurn } from '../lib/event-loop.ts'
import type { Cors } from './cors.ts'
import { errorAnswer } from './error-response.ts'
import { type Headers, REQUEST_ID } from './headers.ts'
import { graphqlType } from './media-type.ts'
import { createOpenRequests } from './open-requests.ts'
import { sendAnswer, watchEnd } from './send-answer.ts'

/** May be read by pages of other origins too. */
const SCHEMA = /^\/schema\.graphql(?:\?|$)/
const API = /^(?:https?:\/\/[^/]*)?(\/graphql|\/mcp)\/?(?:\?|$)/

interface Handlers {
  /** Sends the common headers itself, in a cheaper way. A body that came with the head is there once the event loop has read what it can. */
  api(request: IncomingMessage, response: ServerResponse, endpoint: '/graphql' | '/mcp'): void
  others: RequestListener
  headers: Headers
  newRequestId(): string
  /** Absent: no page of another origin may call the API. */
  cors?: Cors | undefined
  /** Who counts as one client, by its IP address: see lib/client-address.ts. */
  sourceOf(request: IncomingMessage): string
}

/** A connection on which nothing is sent or read any more, as by a client that does not read its answer. */
export const IDLE_MS = 2 * MINUTE

const UNKNOWN_EXPECTATION = new AppError('BAD_REQUEST', {
  status: 417,
  message: 'Of Expect, only 100-continue is understood.',
})

export const REQUEST_TIMES = { headersTimeout: 10 * SECOND, requestTimeout: 30 * SECOND }

/** API calls go past Fastify, which they do not need, and take turns once their organization is known; all the rest by source. */
export function createHttpServer({ api, others, headers, newRequestId, cors, sourceOf }: Handlers): Server {
  const options = {
    ...REQUEST_TIMES,
    keepAliveTimeout: 72 * SECOND,
    connectionsCheckingInterval: SECOND,
    requireHostHeader: false, // required below, with an error in the shape of all errors
  }
  const commonHeaders = new Map(Object.entries(headers))
  const openRequests = createOpenRequests(sourceOf)

  function refuse({ headers: { accept } }: IncomingMessage, response: ServerResponse, error: AppError): void {
    const requestId = newRequestId()
    const fields = [...commonHeaders, [REQUEST_ID, requestId], ['connection', 'close']].flat()
    sendAnswer(response, errorAnswer(error, requestId, graphqlType(accept)), fields)
  }

  const server = createServer(options, (request, response) => {
    const { socket } = request
    if (socket.remoteAddress === undefined) return void socket.destroy() // reset already, and nobody knows by whom
    const { url = '' } = request
    const endpoint = url === '/graphql' ? url : (API.exec(url)?.[1] as '/graphql' | '/mcp' | undefined) // what the pattern has
    if (cors && (endpoint || SCHEMA.test(url))) cors.addHeaders(request, response)
    const refusal = openRequests.admit(request, response)
    if (refusal === 'closed') return
    if (refusal) return refuse(request, response, refusal)
    if (endpoint) api(request, response, endpoint)
    else {
      const requestId = newRequestId()
      request.headers[REQUEST_ID] = requestId // where Fastify looks for it
      response.setHeaders(commonHeaders).setHeader(REQUEST_ID, requestId)
      watchEnd(response)
      const turn = waitForTurn(() => sourceOf(request))
      if (turn === undefined) others(request, response)
      else void turn.then(() => others(request, response))
    }
  })
  server.timeout = IDLE_MS
  server.maxConnections = LIMITS.connections
  server.on('drop', () => countLimitRefusal('connections'))
  return server.on('checkExpectation', (request, response) => refuse(request, response, UNKNOWN_EXPECTATION))
}
