import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createDrain, POLL_EVERY_MS } from './drain.ts'

const NEVER_MS = 2 ** 31 - 1
const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'

async function start(answer: RequestListener) {
  const server = createServer(answer)
  const drain = createDrain(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  onTestFinished(() => server.closeAllConnections())

  function connectOnly(): Socket {
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {}) // being cut off is what is tested
    return socket
  }

  /** A connection that the server knows of, on which this has been sent. */
  async function open(words = ''): Promise<Socket> {
    const known = once(server, 'connection')
    const socket = connectOnly()
    await Promise.all([known, once(socket, 'connect')])
    if (words) socket.write(words)
    return socket
  }
  return { server, drain, open, connectOnly }
}

it('does not wait for idle connections', async () => {
  const { drain, open } = await start((_request, response) => response.end())
  const silent = await open()
  const idle = await open(REQUEST)
  await once(idle, 'data')
  const closed = [once(silent, 'close'), once(idle, 'close')]

  await drain.close(NEVER_MS)
  await Promise.all(closed)
})

it('waits for a response in progress, which is the last on its connection', async () => {
  const asked = Promise.withResolvers<() => void>()
  const { drain, open } = await start((_request, response) => asked.resolve(() => response.end('whole')))
  const socket = await open(REQUEST)
  const answer = await asked.promise

  const drained = drain.close(NEVER_MS)
  answer()
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*whole/i)
  await drained
})

it('closes a request that never ends when the time is up', async () => {
  const { server, drain, open } = await start((request) => request.resume())
  const socket = await open('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{')
  await once(server, 'request')

  await Promise.all([drain.close(1), once(socket, 'close')])
})

it('from its beginning each response is the last on its connection, and new connections are accepted', async () => {
  const { drain, open } = await start((_request, response) => response.end('whole'))
  const idle = await open()

  drain.begin()
  for (const socket of [idle, await open()]) {
    socket.write(REQUEST)
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*whole/i)
  }
  await drain.close(NEVER_MS)
})

it('answers a request that has arrived on an idle connection, and was not read when the listener closes', async () => {
  const { drain, open } = await start((_request, response) => response.end('whole'))
  const idle = await open(REQUEST)
  await once(idle, 'data')

  idle.write(REQUEST)
  const drained = drain.close(NEVER_MS) // node:http closes idle connections together with the listener
  expect(await text(idle)).toContain('whole')
  await drained
})

it('answers the first request of a connection, which has arrived and was not read when that would be closed', async () => {
  const { server, drain, open } = await start((_request, response) => response.end('whole'))
  const silent = await open()

  const drained = drain.close(NEVER_MS)
  while (server.listening) await endOfTurn()
  silent.write(REQUEST)
  blockEventLoop(POLL_EVERY_MS * 2)
  expect(await text(silent)).toContain('whole')
  await drained
})

it('answers on a connection that this machine has taken, and the process has not seen when it stops listening', async () => {
  const { drain, connectOnly } = await start((_request, response) => response.end('whole'))
  const socket = connectOnly()

  const drained = drain.close(NEVER_MS)
  socket.write(REQUEST)
  expect(await text(socket)).toContain('whole')
  await drained
})

function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
