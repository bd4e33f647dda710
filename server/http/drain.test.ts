import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { createDrain } from './drain.ts'

const NEVER_MS = 2 ** 31 - 1
const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'

async function start(answer: RequestListener) {
  const server = createServer(answer)
  const drain = createDrain(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  onTestFinished(() => server.closeAllConnections())

  /** A connection that the server knows of, on which this has been sent. */
  async function open(words = ''): Promise<Socket> {
    const known = once(server, 'connection')
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {}) // being cut off is what is tested
    await Promise.all([known, once(socket, 'connect')])
    if (words) socket.write(words)
    return socket
  }
  return { server, drain, open }
}

it('does not wait for idle connections', async () => {
  const { drain, open } = await start((_request, response) => response.end())
  const silent = await open()
  const idle = await open(REQUEST)
  await once(idle, 'data')
  const closed = [once(silent, 'close'), once(idle, 'close')]

  await drain(NEVER_MS)
  await Promise.all(closed)
})

it('waits for a response in progress, which is the last on its connection', async () => {
  const asked = Promise.withResolvers<() => void>()
  const { drain, open } = await start((_request, response) => asked.resolve(() => response.end('whole')))
  const socket = await open(REQUEST)
  const answer = await asked.promise

  const drained = drain(NEVER_MS)
  answer()
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*whole/i)
  await drained
})

it('closes a request that never ends when the time is up', async () => {
  const { server, drain, open } = await start((request) => request.resume())
  const socket = await open('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{')
  await once(server, 'request')

  await Promise.all([drain(1), once(socket, 'close')])
})
