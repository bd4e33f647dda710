import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { countLimitRefusal, LIMITS } from '../config/limits.ts'

export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  /** Bytes: it is compressed. */
  body: string | Buffer
}

/** Sends an answer with these fields and its own: names and values in turn, in a list of this request alone. */
export function sendAnswer(response: ServerResponse, { status, headers, body }: HttpAnswer, fields: string[]): void {
  const length = Buffer.byteLength(body)
  for (const [name, value] of Object.entries(headers)) {
    const before = name === 'vary' && response.getHeader(name) // set for CORS; `writeHead` would replace it
    fields.push(name, before ? `${before}, ${value}` : value)
  }
  fields.push('content-length', String(length))
  response.writeHead(status, fields) // a list costs a fifth less than an object
  response.end(body, length === body.length ? 'latin1' : 'utf8') // ASCII only: need not be encoded again
  if (response.writableLength > 0) noteUnsent(response, length) // else the operating system has it, as nearly always
}

/** The bytes of answers that their clients have not read yet, and that so are in memory, by open connection. */
const unsent = new Map<Socket, number>()
let total = 0

/** While too much is unsent, the connection that has the most is closed. */
function noteUnsent(response: ServerResponse, bytes: number): void {
  const { socket } = response.req
  if (socket.destroyed) return
  if (!unsent.has(socket)) {
    unsent.set(socket, 0)
    socket.once('close', () => forget(socket)) // not every response that waits for its turn says so
  }
  add(socket, bytes)
  response.once('close', () => {
    if (unsent.has(socket)) add(socket, -bytes)
  })
  while (total > LIMITS.unsent_bytes) closeLargest()
}

/** For responses that others send: no event says that a response is complete while it waits for those before it. */
export function watchEnd(response: ServerResponse): void {
  const { end } = response
  const watching = (...args: Parameters<typeof end>) => {
    end.apply(response, args)
    if (response.writableLength > 0) noteUnsent(response, Number(response.getHeader('content-length') ?? 0))
    return response
  }
  response.end = watching as typeof end
}

function add(socket: Socket, bytes: number): void {
  unsent.set(socket, (unsent.get(socket) ?? 0) + bytes)
  total += bytes
}

function forget(socket: Socket): void {
  total -= unsent.get(socket) ?? 0
  unsent.delete(socket)
}

function closeLargest(): void {
  const [socket] = [...unsent].reduce((most, each) => (each[1] > most[1] ? each : most))
  countLimitRefusal('unsent_bytes')
  forget(socket)
  socket.destroy()
}
