import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LIMITS, noteLimitRefusal } from '../limits.ts'

/** The bytes of answers that their clients have not read yet, and that so are in memory, by connection. */
const unsent = new Map<Socket, number>()
const watched = new WeakSet<Socket>()
let total = 0

/** Call it after `end`. While there are too many, the connection that has the most is closed. */
export function noteUnsent(response: ServerResponse, bytes: number): void {
  if (response.writableLength === 0) return // the operating system has it, as nearly always
  const { socket } = response.req
  if (socket.destroyed) return
  if (!watched.has(socket)) {
    watched.add(socket)
    socket.once('close', () => forget(socket)) // not every response that waits for its turn says so
  }
  add(socket, bytes)
  response.once('close', () => {
    if (unsent.has(socket)) add(socket, -bytes)
  })
  while (total > LIMITS.unsent_bytes && unsent.size > 0) closeLargest()
}

/** Calls it by itself, for responses that others send. No event says so of one that waits for those before it. */
export function watchEnd(response: ServerResponse): void {
  const { end } = response
  const watching = (...args: Parameters<typeof end>) => {
    end.apply(response, args)
    noteUnsent(response, Number(response.getHeader('content-length') ?? 0))
    return response
  }
  response.end = watching as typeof end
}

function add(socket: Socket, bytes: number): void {
  const after = (unsent.get(socket) ?? 0) + bytes
  total += bytes
  if (after === 0) unsent.delete(socket)
  else unsent.set(socket, after)
}

function forget(socket: Socket): void {
  total -= unsent.get(socket) ?? 0
  unsent.delete(socket)
}

function closeLargest(): void {
  const [first, ...others] = unsent
  if (!first) return
  const [socket] = others.reduce((most, each) => (each[1] > most[1] ? each : most), first)
  noteLimitRefusal('unsent_bytes')
  forget(socket)
  socket.destroy()
}
