import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { MINUTE, SECOND } from '../lib/clock.ts'
import { yieldToOthers } from '../lib/event-loop.ts'
import { LIMITS, noteLimitRefusal } from '../limits.ts'
import { lacksHost, refuseExpectation, refuseUnfinished, refuseWithoutHost } from './client-error.ts'
import type { Cors } from './cors.ts'
import { type Headers, REQUEST_ID } from './headers.ts'
import { admit } from './open-requests.ts'
import { createUnfinished } from './unfinished.ts'
import { watchEnd } from './unsent.ts'

/** May be read by pages of other origins too. */
const SCHEMA = /^\/schema\.graphql(?:\?|$)/
const API = /^(?:https?:\/\/[^/]*)?\/(?:graphql|mcp)\/?(?:\?|$)/

interface Handlers {
  /**
   * `/graphql` and `/mcp`; it sends the common headers itself, in a cheaper way. A body that came with the head is there
   * when the event loop has read what it can.
   */
  api: RequestListener
  /** Everything else. */
  others: RequestListener
  /** The headers of all responses. */
  headers: Headers
  newRequestId(): string
  /** Absent: no page of another origin may call the API. */
  cors?: Cors | undefined
  /** Who counts as one client, by its IP address: see lib/source.ts. */
  sourceOf(request: IncomingMessage): string
}

/** A connection on which nothing is sent or read any more, as by a client that does not read its answer. */
export const IDLE_MS = 2 * MINUTE

export const REQUEST_TIMES = { headersTimeout: 10 * SECOND, requestTimeout: 30 * SECOND }

/**
 * The one HTTP server. API calls go straight to their route, past Fastify: they need nothing that a framework does, and
 * take turns once their organization is known. Pages and all the rest take turns by source.
 */
export function createHttpServer({ api, others, headers, newRequestId, cors, sourceOf }: Handlers): Server {
  const options = {
    ...REQUEST_TIMES,
    keepAliveTimeout: 72 * SECOND,
    connectionsCheckingInterval: SECOND,
    requireHostHeader: false, // required below, with an error in the shape of all errors
  }
  const identified = () => ({ ...headers, [REQUEST_ID]: newRequestId() })
  const ofAll = new Map(Object.entries(headers))
  const unfinished = createUnfinished(sourceOf)
  const server = createServer(options, (request, response) => {
    const { socket } = request
    if (socket.remoteAddress === undefined) return void socket.destroy() // reset already, and nobody knows by whom
    if (!admit(socket, response)) return
    if (lacksHost(request)) return refuseWithoutHost(response, identified())
    const { url = '' } = request
    const isApi = url === '/graphql' || API.test(url)
    if (cors && (isApi || SCHEMA.test(url))) cors.addHeaders(request, response)
    const refusal = unfinished.refusalOf(request)
    if (refusal) return refuseUnfinished(request, response, refusal, identified())
    if (!isApi) {
      const requestId = newRequestId()
      request.headers[REQUEST_ID] = requestId // where Fastify looks for it
      response.setHeaders(ofAll).setHeader(REQUEST_ID, requestId)
      watchEnd(response)
      const turn = yieldToOthers(() => sourceOf(request))
      if (turn === undefined) others(request, response)
      else void turn.then(() => others(request, response))
    }
    unfinished.add(request)
    if (isApi) api(request, response)
  })
  server.timeout = IDLE_MS
  server.maxConnections = LIMITS.connections
  server.on('drop', () => noteLimitRefusal('connections'))
  return server.on('checkExpectation', (_request, response) => refuseExpectation(response, identified()))
}
