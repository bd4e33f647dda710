import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createHttpServer } from './server.ts'

const MANY = 150
const [CROWD, BYSTANDER] = ['127.0.0.1', '127.0.0.2']
const PAGE = 'GET /acme/devices HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'

/** In the order in which they are handled; each blocks the event loop for two milliseconds. */
const handled: string[] = []
const sourceOf = ({ socket }: { socket: { remoteAddress?: string | undefined } }) => socket.remoteAddress ?? ''
const server = createHttpServer({
  api: (_request, response) => response.end(),
  others: (request, response) => {
    for (const until = performance.now() + 2; performance.now() < until; );
    handled.push(sourceOf(request))
    response.end()
  },
  headers: {},
  newRequestId: () => 'r-1',
  sourceOf,
})

let accepted = 0

beforeAll(async () => {
  server.on('connection', () => accepted++)
  await once(server.listen(0, '0.0.0.0'), 'listening')
})
afterAll(() => server.close())

async function connectFrom(localAddress: string) {
  const { port } = server.address() as AddressInfo // it listens on a port
  const socket = connect({ host: '127.0.0.1', port, localAddress })
  await once(socket, 'connect')
  return socket
}

it('C16: many pages that one source requests at once do not delay the page of another', async () => {
  const sockets = await Promise.all([...Array(MANY).fill(CROWD), BYSTANDER].map(connectFrom))
  await expect.poll(() => accepted).toBe(sockets.length)
  for (const socket of sockets) socket.write(PAGE)
  await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')))
  expect(handled).toHaveLength(MANY + 1)
  expect(handled.indexOf(BYSTANDER)).toBeLessThan(MANY / 2)
})
