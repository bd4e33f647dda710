import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { type Connection, withConnections } from './sockets.ts'

async function startServer() {
  const accepted: Socket[] = []
  const server = createServer((socket) => accepted.push(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of accepted) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  return { accepted, port: typeof address === 'object' && address ? address.port : 0 }
}

it('connections are kept open between turns', async () => {
  const { port } = await startServer()
  const first = await withConnections([port], 3, async (connections) => connections)
  const second = await withConnections([port], 3, async (connections) => connections)
  expect(second.map((connection, i) => connection === first[i])).toEqual([true, true, true])
})

it('connections are spread evenly over several servers', async () => {
  const servers = [await startServer(), await startServer()]
  const ports = servers.map(({ port }) => port)
  await withConnections(ports, 6, async () => {
    await expect.poll(() => servers.map(({ accepted }) => accepted.length)).toEqual([3, 3])
  })
})

it('a connection that the server has closed is not used again', async () => {
  const { port, accepted } = await startServer()
  const [connection] = await withConnections([port], 1, async (connections) => connections)
  accepted[0]?.destroy()
  if (connection) await once(connection.socket, 'close')
  const [another] = await withConnections([port], 1, async (connections) => connections)
  expect(another).not.toBe(connection)
  expect(another?.socket.readyState).toBe('open')
})

it('after an error, connections are closed, since they may be in the middle of a response', async () => {
  const { port } = await startServer()
  let used: Connection[] = []
  const work = withConnections([port], 2, async (connections) => {
    used = connections
    throw new Error('A wrong answer')
  })
  await expect(work).rejects.toThrow('A wrong answer')
  expect(used.map(({ socket }) => socket.destroyed)).toEqual([true, true])
})

it('what a connection reads goes to whoever has it, byte by byte', async () => {
  const { port, accepted } = await startServer()
  const sent = Buffer.alloc(200_000, 'some bytes that come in several parts')
  const received = await withConnections([port], 1, async ([connection]) => {
    const parts: Buffer[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    if (!connection) throw new Error('There is no connection.')
    connection.receive = (bytes) => {
      parts.push(Buffer.from(bytes))
      if (Buffer.concat(parts).length >= sent.length) resolve()
    }
    connection.socket.write('a request') // it is accepted by now at the latest
    await expect.poll(() => accepted.length).toBe(1)
    accepted[0]?.write(sent)
    await promise
    return Buffer.concat(parts)
  })
  expect(received.equals(sent)).toBe(true)
})
