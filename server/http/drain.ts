import type { Server, ServerResponse } from 'node:http'

const LOOK_EVERY_MS = 50

/**
 * Knows which answers are under way. Once called, nobody new comes in, and each answer is the last on its connection; then
 * it cuts the connections that ask for nothing, and after `withinMs` those that do not come to an end.
 */
export function createDrain(server: Server): (withinMs: number) => Promise<void> {
  const underWay = new Set<ServerResponse>()
  let draining = false
  server.prependListener('request', (_request, response) => {
    if (draining) response.shouldKeepAlive = false
    underWay.add(response)
    response.once('close', () => underWay.delete(response))
  })

  return async (withinMs) => {
    draining = true
    for (const response of underWay) response.shouldKeepAlive = false
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    server.close(() => resolve())
    const whenQuiet = setInterval(() => {
      if (underWay.size === 0) server.closeAllConnections()
    }, LOOK_EVERY_MS)
    const whenLate = setTimeout(() => server.closeAllConnections(), withinMs)
    await closed
    clearInterval(whenQuiet)
    clearTimeout(whenLate)
  }
}
