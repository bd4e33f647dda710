import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { World } from './world.ts'

export interface RawRequest {
  method?: string
  path?: string
  headers?: Record<string, string>
  /** A text is sent as it is, anything else as JSON. */
  body?: unknown
}

/** A response as it is on the wire. */
export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body))

function bytesOf({ method = 'POST', path = '/graphql', headers = {}, body }: RawRequest): Buffer {
  const content = Buffer.from(body === undefined ? '' : textOf(body))
  const all = { host: 'portal', ...headers, ...(body !== undefined && { 'content-length': String(content.length) }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return Buffer.concat([Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '\r\n'].join('\r\n')), content])
}

async function open({ url }: World): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setNoDelay()
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Connections that the server has accepted. */
export async function openConnections(world: World, count: number): Promise<Socket[]> {
  const sockets = await Promise.all(Array.from({ length: count }, () => open(world)))
  for (const socket of sockets) {
    socket.write(bytesOf({ method: 'GET', path: '/health/live' }))
    await answerOn(socket, {})
  }
  return sockets
}

/**
 * Sends all of them without waiting, each on a connection of its own. The server is in the same process, so all of them
 * can be read when it looks at its connections the next time: they arrive in one iteration of its event loop.
 */
export function sendOn(sockets: readonly Socket[], requests: readonly RawRequest[]): Promise<RawAnswer[]> {
  const sent = requests.map((request, i) => {
    const socket = sockets[i]
    if (!socket) throw new Error('Too few connections.')
    const answer = answerOn(socket, request)
    socket.write(bytesOf(request))
    return answer
  })
  return Promise.all(sent)
}

/** Sends one after the other, each when the one before is answered. */
export async function sendOneByOne(sockets: readonly Socket[], requests: readonly RawRequest[]): Promise<RawAnswer[]> {
  const answers: RawAnswer[] = []
  for (const [i, request] of requests.entries()) answers.push(...(await sendOn(sockets.slice(i, i + 1), [request])))
  return answers
}

function answerOn(socket: Socket, { method }: RawRequest): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
  let received = Buffer.alloc(0)
  const receive = (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    const answer = answerIn(received, method === 'HEAD')
    if (!answer) return
    socket.off('data', receive).off('close', closed)
    resolve(answer)
  }
  const closed = () => reject(new Error(`The connection was closed after: ${received}`))
  socket.on('data', receive).once('close', closed)
  return promise
}

function answerIn(received: Buffer, isHead: boolean): RawAnswer | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = received.toString('latin1', 0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(': ')[0]?.toLowerCase(), line.replace(/^.*?: /, '')]),
  )
  const body = received.subarray(end + 4)
  if (!isHead && body.length < Number(headers['content-length'] ?? 0)) return undefined
  return { status: Number(first.split(' ')[1]), headers, body }
}
