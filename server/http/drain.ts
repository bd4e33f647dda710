import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const LOOK_EVERY_MS = 50

/**
 * Tracks the responses in progress. Once called, no new connection is accepted, and each response is the last on its
 * connection; then it closes idle connections, and after `withinMs` those that have not finished.
 */
export function createDrain(server: Server): (withinMs: number) => Promise<void> {
  const latest = new Map<Socket, ServerResponse>() // by connection: nothing has to be done when a response ends
  let draining = false
  server.on('connection', (socket) => socket.once('close', () => latest.delete(socket)))
  server.prependListener('request', ({ socket }, response) => {
    if (draining) response.shouldKeepAlive = false
    latest.set(socket, response)
  })

  return async (withinMs) => {
    draining = true
    for (const response of latest.values()) response.shouldKeepAlive = false
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    server.close(() => resolve())
    const whenQuiet = setInterval(() => {
      if (![...latest.values()].some(isUnderWay)) server.closeAllConnections()
    }, LOOK_EVERY_MS)
    const whenLate = setTimeout(() => server.closeAllConnections(), withinMs)
    await closed
    clearInterval(whenQuiet)
    clearTimeout(whenLate)
  }
}

const isUnderWay = ({ writableFinished, destroyed }: ServerResponse) => !writableFinished && !destroyed
