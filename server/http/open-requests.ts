import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LIMITS, noteLimitRefusal } from '../limits.ts'

const openOn = new WeakMap<Socket, number>()

/**
 * Counts the requests of a connection that are not answered yet: node:http reads on while a client sends without waiting
 * for answers. A connection with too many of them is closed. False: nobody waits for the answer.
 */
export function admit(socket: Socket, response: ServerResponse): boolean {
  if (socket.destroyed) return false // the parser goes on to the end of what has arrived
  const open = (openOn.get(socket) ?? 0) + 1
  if (open > LIMITS.open_requests_of_connection) {
    noteLimitRefusal('open_requests_of_connection')
    socket.destroy()
    return false
  }
  openOn.set(socket, open)
  response.once('close', () => openOn.set(socket, (openOn.get(socket) ?? 1) - 1))
  return true
}
