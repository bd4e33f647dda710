import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { startWorld, type TestKey, type World } from '../../test/support/world/world.ts'
import { limitRefusals } from '../config/counts.ts'
import { LIMITS } from '../config/limits.ts'

const HEAD_READ = 'http.server.request.start'
const BODY = '{"query":"{ viewer { role } }"}'

const portOf = ({ url }: World) => Number(new URL(url).port)

const it = inWorld(() => startWorld({ env: { TRUST_PROXY: 'on' } })).extend(
  'client',
  ({ world, key }, { onCleanup }) => {
    const client = clientOf(world, key)
    onCleanup(client.close)
    return client
  },
)

const refusedBy = (limit: string) => limitRefusals.entries.get(limit) ?? 0

function clientOf(world: World, { secret }: TestKey) {
  /** Requests whose head the server has read, in the order in which they came. */
  const heads: IncomingMessage[] = []
  const noteHead = (message: unknown) => {
    const { request } = message as { request: IncomingMessage } // as Node.js documents it
    if (request.headers.host === `held:${portOf(world)}`) heads.push(request)
  }
  subscribe(HEAD_READ, noteHead)

  const open = () => {
    const socket = connect(portOf(world), '127.0.0.1').setNoDelay()
    onTestFinished(() => void socket.destroy())
    return socket.on('error', () => {})
  }

  const headOf = (from: string, path = '/graphql') =>
    [
      `POST ${path} HTTP/1.1`,
      `host: held:${portOf(world)}`,
      'content-type: application/json',
      `api-secret: ${secret}`,
      `x-forwarded-for: ${from}`,
      `content-length: ${BODY.length}`,
      '\r\n',
    ].join('\r\n')

  return {
    open,
    headOf,
    /** Sends a head without its body, so many times; back when the server has read all of them. */
    holdBack: async (from: string, count: number, path?: string): Promise<Socket[]> => {
      const before = heads.length
      const sockets = Array.from({ length: count }, open)
      for (const socket of sockets) socket.write(headOf(from, path))
      await expect.poll(() => heads.length - before, { interval: 1 }).toBe(count)
      return sockets
    },
    /** Back when the server knows that none of the bodies will come. */
    giveUp: async (sockets: readonly Socket[]): Promise<void> => {
      for (const socket of sockets) socket.destroy()
      await expect.poll(() => heads.every((request) => request.closed), { interval: 1 }).toBe(true)
    },
    call: (from: string) =>
      fetch(`${world.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'api-secret': secret, 'x-forwarded-for': from },
        body: BODY,
      }),
    close: () => void unsubscribe(HEAD_READ, noteHead),
  }
}

it.for(['/graphql', '/portal/graphql', '/auth/sign-in'])(
  'a source with 200 incomplete bodies is refused until they arrive or time out, and no other source: %s',
  async (path, { client }) => {
    const { call, giveUp, holdBack } = client
    const before = refusedBy('unfinished_requests_of_source')
    const held = await holdBack('192.0.2.1', LIMITS.unfinished_requests_of_source - 1, path)
    expect((await call('192.0.2.1')).status).toBe(200)
    held.push(...(await holdBack('192.0.2.1', 1, path)))
    const refused = await call('192.0.2.1')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] })
    expect(refusedBy('unfinished_requests_of_source')).toBe(before + 1)
    expect((await call('192.0.2.2')).status).toBe(200)
    await giveUp(held)
    expect((await call('192.0.2.1')).status).toBe(200)
  },
)

it.for(['with its head', 'after it'])(
  'a request no longer counts once its body has arrived, sent %s',
  async (when, { client }) => {
    const { headOf, holdBack, open } = client
    for (let i = 0; i <= LIMITS.unfinished_requests_of_source; i++) {
      const [socket] = when === 'after it' ? await holdBack('192.0.2.3', 1) : [open()]
      socket?.write(when === 'after it' ? BODY : `${headOf('192.0.2.3')}${BODY}`)
      const [answer] = socket ? await once(socket, 'data') : []
      expect(String(answer)).toMatch(/^HTTP\/1.1 200 /)
    }
  },
)

it('2,000 incomplete bodies from all sources are accepted; requests without a body are answered', async ({
  world,
  client,
}) => {
  const { call, giveUp, holdBack } = client
  const sources = Array.from({ length: 10 }, (_, i) => `198.51.100.${i}`)
  const held: Socket[] = []
  for (const source of sources) held.push(...(await holdBack(source, LIMITS.unfinished_requests / 10)))
  expect((await call('192.0.2.2')).status).toBe(503)
  expect((await fetch(`${world.url}/health/live`)).status).toBe(200)
  await giveUp(held)
  expect((await call('192.0.2.2')).status).toBe(200)
})

it('what is not HTTP is refused and logged', async ({ world, client }) => {
  const socket = client.open().end('nonsense\r\n\r\n')
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 400 /)
  expect(world.logged().filter((line) => line.includes('"reason":"HPE_INVALID_METHOD"'))).toHaveLength(1)
})
