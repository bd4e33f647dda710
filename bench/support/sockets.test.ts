import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { withSockets } from './sockets.ts'

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
  const first = await withSockets(port, 3, async (sockets) => sockets)
  const second = await withSockets(port, 3, async (sockets) => sockets)
  expect(second.map((socket, i) => socket === first[i])).toEqual([true, true, true])
})

it('a connection that the server has closed is not used again', async () => {
  const { port, accepted } = await startServer()
  const [socket] = await withSockets(port, 1, async (sockets) => sockets)
  accepted[0]?.destroy()
  if (socket) await once(socket.resume(), 'close')
  const [another] = await withSockets(port, 1, async (sockets) => sockets)
  expect(another).not.toBe(socket)
  expect(another?.readyState).toBe('open')
})

it('after an error, connections are closed, since they may be in the middle of a response', async () => {
  const { port } = await startServer()
  let used: Socket[] = []
  const work = withSockets(port, 2, async (sockets) => {
    used = sockets
    throw new Error('A wrong answer')
  })
  await expect(work).rejects.toThrow('A wrong answer')
  expect(used.map(({ destroyed }) => destroyed)).toEqual([true, true])
})
