import { createServer, type RequestListener, type Server } from 'node:http'
import { SECOND } from '../lib/clock.ts'

const API = /^(?:https?:\/\/[^/]*)?\/graphql\/?(?:\?|$)/

interface Handlers {
  /** `/graphql` */
  api: RequestListener
  /** All the rest. */
  others: RequestListener
}

/** The one HTTP server. Calls of the API go straight to their door: nothing that a framework does would serve them. */
export function createHttpServer({ api, others }: Handlers): Server {
  const options = { requestTimeout: 30 * SECOND, keepAliveTimeout: 72 * SECOND, connectionsCheckingInterval: SECOND }
  return createServer(options, (request, response) => {
    const { url = '' } = request
    if (url === '/graphql' || API.test(url)) api(request, response)
    else others(request, response)
  })
}
