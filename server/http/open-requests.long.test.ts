import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import { limitRefusals } from '../config/counts.ts'
import { LIMITS } from '../config/limits.ts'
import { sendAnswer } from './send-answer.ts'
import { createHttpServer, IDLE_MS } from './server.ts'

const it = inWorld(() => startWorld({ env: { TRUST_PROXY: 'on' } }))

const REQUEST = 'GET /graphql HTTP/1.1\r\nhost: a\r\n\r\n'
const refused = () => limitRefusals.entries.get('open_requests_of_connection') ?? 0

function open({ url }: Pick<World, 'url'>): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setNoDelay()
  onTestFinished(() => void socket.destroy())
  return socket.on('error', () => {}).resume()
}

it('a connection with too many requests that are not answered yet is closed, and others are served', async ({
  world,
  acme,
}) => {
  const before = refused()
  const socket = open(world)
  await once(socket, 'connect')
  socket.write(REQUEST.repeat(LIMITS.open_requests_of_connection * 5))
  await once(socket, 'close')
  expect(refused() - before).toBe(1)
  expect(await acme.call('{ viewer { role } }')).toMatchObject({ data: { viewer: { role: 'ADMIN' } } })
})

it('requests are sent one after the other without a limit, and some at once', async ({ world }) => {
  const before = refused()
  const socket = open(world)
  let answers = 0
  socket.on('data', (data) => {
    answers += data.toString().split('HTTP/1.1 ').length - 1
  })
  const rounds = 5
  for (let round = 1; round <= rounds; round++) {
    socket.write(REQUEST.repeat(LIMITS.open_requests_of_connection / 2))
    await expect.poll(() => answers).toBe((round * LIMITS.open_requests_of_connection) / 2)
  }
  expect(refused() - before).toBe(0)
})

it('a connection that is reset when its request is read ends nothing', async ({ world, acme }) => {
  for (const path of ['/graphql', '/auth/session', '/', '/metrics'])
    for (let i = 0; i < 10; i++) {
      const socket = open(world)
      await once(socket, 'connect')
      socket.write(REQUEST.replace('/graphql', path), () => socket.resetAndDestroy())
      await once(socket, 'close')
    }
  expect(await acme.call('{ viewer { role } }')).toMatchObject({ data: { viewer: { role: 'ADMIN' } } })
})

/** A server for clients that do not read: every answer has these bytes. */
async function serve(
  bytes: number,
): Promise<{ server: Server; connectTo: () => Promise<{ client: Socket; accepted: Socket }> }> {
  const answer = { status: 200, headers: {}, body: Buffer.alloc(bytes) }
  const server = createHttpServer({
    api: (_request, response) => sendAnswer(response, answer, []),
    others: (_request, response) => void response.setHeader('content-length', bytes).end(answer.body),
    headers: {},
    newRequestId: () => 'r-1',
    sourceOf: () => 'a',
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  const connectTo = async () => {
    const client = open({ url: `http://127.0.0.1:${port}` }).pause()
    const [accepted] = await once(server, 'connection')
    return { client, accepted }
  }
  return { server, connectTo }
}

it('a client that does not read its answer is cut off', async () => {
  const { server, connectTo } = await serve(64 * 1024 * 1024)
  expect(server.timeout).toBe(IDLE_MS)
  server.timeout = 100
  const { client, accepted } = await connectTo()
  client.write(REQUEST)
  await once(accepted, 'close')
})

for (const path of ['/graphql', '/devices']) {
  it(`C16: answers of ${path} that nobody reads have a limit: the connection with most of them is closed`, async () => {
    const { connectTo } = await serve(LIMITS.unsent_bytes / 4)
    const clients = [await connectTo(), await connectTo(), await connectTo()]
    const before = limitRefusals.entries.get('unsent_bytes') ?? 0
    const isClosed = () => clients.map(({ accepted }) => accepted.destroyed)
    const request = REQUEST.replace('/graphql', path)
    for (const [i, times] of [1, 2, 1].entries()) clients[i]?.client.write(request.repeat(times))
    await expect
      .poll(() => clients.map(({ accepted }) => accepted.bytesRead))
      .toEqual([1, 2, 1].map((times) => times * request.length))
    expect(isClosed()).toEqual([false, false, false])
    clients[2]?.client.write(request)
    await expect.poll(isClosed).toEqual([false, true, false])
    expect((limitRefusals.entries.get('unsent_bytes') ?? 0) - before).toBe(1)
    for (const { client } of clients) client.resume() // what is read no longer counts
    await expect.poll(() => clients.map(({ accepted }) => accepted.writableLength)).toEqual([0, 0, 0])
    clients[0]?.client.pause().write(request.repeat(3))
    await expect.poll(() => clients[0]?.accepted.bytesRead).toBe(4 * request.length)
    expect(isClosed()).toEqual([false, true, false])
  })
}
