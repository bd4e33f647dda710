import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as endOfTurn } from 'node:timers/promises'

export const POLL_EVERY_MS = 50

/** How a server stops so that no request is lost. */
export interface Drain {
  /** From now on each response is the last on its connection, also those in progress; new connections are accepted. */
  begin(): void
  /** Begins, accepts no new connection, and closes idle ones once no response is in progress; after `withinMs` the others. */
  close(withinMs: number): Promise<void>
  /**
   * For a process whose port others go on to serve: begins, and accepts no new connection; idle ones may stay until the
   * time that their clients know of, so that none is closed under a request on its way. Resolves when the first is so;
   * `isOver` when no connection is left, or after `withinMs`.
   */
  retire(withinMs: number): Promise<{ isOver: Promise<void> }>
}

/** Tracks the responses in progress. */
export function createDrain(server: Server): Drain {
  const latest = new Map<Socket, ServerResponse>() // by connection: nothing has to be done when a response ends
  let draining = false
  server.on('connection', (socket) => socket.once('close', () => latest.delete(socket)))
  server.prependListener('request', ({ socket }, response) => {
    if (draining) response.shouldKeepAlive = false
    latest.set(socket, response)
  })

  const begin = () => {
    draining = true
    for (const response of latest.values()) response.shouldKeepAlive = false
  }

  const closeIfQuiet = async () => {
    await afterReading()
    if (![...latest.values()].some(isUnderWay)) server.closeAllConnections()
  }

  return {
    begin,
    async retire(withinMs) {
      begin()
      await afterReading()
      const { promise: over, resolve } = Promise.withResolvers<void>()
      NetServer.prototype.close.call(server, () => resolve()) // `close` of an HTTP server would close idle connections
      const whenLate = setTimeout(resolve, withinMs)
      return { isOver: over.then(() => clearTimeout(whenLate)) }
    },
    async close(withinMs) {
      begin()
      await afterReading()
      const { promise: closed, resolve } = Promise.withResolvers<void>()
      server.close(() => resolve())
      const whenQuiet = setInterval(() => void closeIfQuiet(), POLL_EVERY_MS)
      const whenLate = setTimeout(() => server.closeAllConnections(), withinMs)
      await closed
      clearInterval(whenQuiet)
      clearTimeout(whenLate)
    },
  }
}

/** What this machine has taken, and the process has not seen yet, would be lost by closing: it is read first. */
async function afterReading(): Promise<void> {
  await endOfTurn() // this turn of the event loop may have read already
  await endOfTurn()
}

const isUnderWay = ({ writableFinished, destroyed }: ServerResponse) => !writableFinished && !destroyed
