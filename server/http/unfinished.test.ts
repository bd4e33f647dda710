import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { startWorld, type World } from '../../test/support/world.ts'
import { limitRefusals } from '../lib/counts.ts'
import { LIMITS } from '../limits.ts'

let world: World
let secret: string

beforeAll(async () => {
  world = await startWorld({ env: { TRUST_PROXY: 'on' } })
  const ada = await world.signUp('Ada')
  secret = (await world.generateKey(ada, await world.organization('Acme', { admin: ada }))).secret
})
afterAll(() => world.close())

const refusedBy = (limit: string) => limitRefusals.entries.get(limit) ?? 0

/** Sends a head without its body, so many times, and gives the connections once all of them are known to the server. */
async function holdBack(from: string, count: number, path = '/graphql'): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(Number(new URL(world.url).port), '127.0.0.1'))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const head = [`POST ${path} HTTP/1.1`, 'host: portal', 'content-type: application/json', `api-secret: ${secret}`]
  onTestFinished(() => giveUp(sockets))
  for (const socket of sockets) {
    socket.on('error', () => {})
    socket.write([...head, `x-forwarded-for: ${from}`, 'content-length: 30', '', ''].join('\r\n'))
  }
  await pause(300)
  return sockets
}

const giveUp = (sockets: readonly Socket[]) => {
  for (const socket of sockets) socket.destroy()
}

const call = (from: string) =>
  fetch(`${world.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'api-secret': secret, 'x-forwarded-for': from },
    body: '{"query":"{ viewer { role } }"}',
  })

it.each(['/graphql', '/portal/graphql', '/auth/sign-in'])(
  'whoever holds 200 bodies back is refused until they come or are given up, and nobody else: %s',
  async (path) => {
    const before = refusedBy('unfinished_requests_of_source')
    const held = await holdBack('192.0.2.1', LIMITS.unfinished_requests_of_source, path)
    const refused = await call('192.0.2.1')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] })
    expect(refusedBy('unfinished_requests_of_source')).toBe(before + 1)
    expect((await call('192.0.2.2')).status).toBe(200)
    giveUp(held)
    await pause(300)
    expect((await call('192.0.2.1')).status).toBe(200)
  },
)

it.each([0, 20])('a request is not counted any more once its body is there, %i ms after the head', async (ms) => {
  for (let i = 0; i <= LIMITS.unfinished_requests_of_source; i++) {
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1').setNoDelay()
    onTestFinished(() => giveUp([socket])) // kept open until then
    const head = ['POST /graphql HTTP/1.1', 'host: portal', 'content-type: application/json', `api-secret: ${secret}`]
    socket.write([...head, 'x-forwarded-for: 192.0.2.3', 'content-length: 31', '', ''].join('\r\n'))
    if (ms > 0) await pause(ms)
    socket.write('{"query":"{ viewer { role } }"}')
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 /)
  }
})

it('2,000 bodies of all sources are waited for; what has none is answered', async () => {
  const sources = Array.from({ length: 10 }, (_, i) => `198.51.100.${i}`)
  const held: Socket[] = []
  for (const source of sources) held.push(...(await holdBack(source, LIMITS.unfinished_requests / 10)))
  expect((await call('192.0.2.2')).status).toBe(503)
  expect((await fetch(`${world.url}/health/live`)).status).toBe(200)
  giveUp(held)
  await pause(300)
  expect((await call('192.0.2.2')).status).toBe(200)
})

it('what is no HTTP is logged once a second, with how many others there were', async () => {
  const refused = () => world.logged().filter((line) => line.includes('"reason":"HPE_INVALID_METHOD"'))
  const send = async () => {
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1').end('nonsense\r\n\r\n')
    await once(socket.resume(), 'close')
  }
  await Promise.all(Array.from({ length: 50 }, send))
  expect(refused()).toHaveLength(1)
  await pause(1000)
  await send()
  expect(JSON.parse(refused()[1] ?? '')).toMatchObject({ status: 400, others: 49 })
})
