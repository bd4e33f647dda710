import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { inWorld } from '../../test/support/fixtures.ts'
import { startWorld, type World } from '../../test/support/world.ts'
import { limitRefusals } from '../lib/counts.ts'
import { LIMITS } from '../limits.ts'
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

it('a client that does not read its answer is cut off', async () => {
  const server = createHttpServer({
    api: (_request, response) => void response.end(Buffer.alloc(64 * 1024 * 1024)),
    others: () => {},
    headers: {},
    newRequestId: () => 'r-1',
    sourceOf: () => 'a',
  })
  expect(server.timeout).toBe(IDLE_MS)
  server.timeout = 100
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  const socket = open({ url: `http://127.0.0.1:${port}` }).pause()
  const [[accepted]] = await Promise.all([once(server, 'connection'), socket.write(REQUEST)])
  await once(accepted, 'close')
})
