import { createServer, type RequestListener, type Server } from 'node:http'
import { SECOND } from '../lib/clock.ts'
import { lacksHost, refuseExpectation, refuseWithoutHost } from './client-error.ts'
import type { Headers } from './headers.ts'

const API = /^(?:https?:\/\/[^/]*)?\/graphql\/?(?:\?|$)/

interface Handlers {
  /** `/graphql`; it sends the headers of all answers itself, since it knows a cheaper way. */
  api: RequestListener
  /** All the rest. */
  others: RequestListener
  /** Of all answers. */
  headers: Headers
}

/** The one HTTP server. Calls of the API go straight to their door: nothing that a framework does would serve them. */
export function createHttpServer({ api, others, headers }: Handlers): Server {
  const options = {
    requestTimeout: 30 * SECOND,
    keepAliveTimeout: 72 * SECOND,
    connectionsCheckingInterval: SECOND,
    requireHostHeader: false, // it is required below, in the shape that all errors have
  }
  const ofAll = new Map(Object.entries(headers))
  const server = createServer(options, (request, response) => {
    const { url = '' } = request
    if (lacksHost(request)) refuseWithoutHost(response, headers)
    else if (url === '/graphql' || API.test(url)) api(request, response)
    else others(request, response.setHeaders(ofAll))
  })
  return server.on('checkExpectation', (_request, response) => refuseExpectation(response, headers))
}
