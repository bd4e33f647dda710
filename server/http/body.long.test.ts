import { once } from 'node:events'
import { IncomingMessage, request as sendRequest } from 'node:http'
import { connect, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import { AppError } from '../lib/app-error.ts'
import { readJsonText } from './body.ts'

const BODY = '{"query":"{ viewer { role } }"}'
const ANSWER = '{"data":{"viewer":{"role":"ADMIN"}}}'

const it = inWorld(startWorld).extend('secret', ({ key }) => key.secret)

/** Sends bytes as they are, the last request with `connection: close`, and reads until the server has closed. */
async function send(world: World, ...parts: string[]): Promise<string> {
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  await once(socket, 'connect')
  for (const part of parts) socket.write(part)
  return text(socket)
}

const head = (secret: string, line: string, ...headers: string[]) =>
  [line, 'host: portal.example', `api-secret: ${secret}`, 'content-type: application/json', ...headers, '', ''].join(
    '\r\n',
  )

const whole = (secret: string, line: string, ...headers: string[]) =>
  head(secret, line, `content-length: ${BODY.length}`, ...headers) + BODY

const CLOSE = 'connection: close'

it.for(['/graphql', '/graphql/', '/graphql?from=ci', 'http://portal.example/graphql'])(
  'is served at %s',
  async (path, { world, secret }) => {
    expect(await send(world, whole(secret, `POST ${path} HTTP/1.1`, CLOSE))).toContain(ANSWER)
  },
)

it.for(['/GRAPHQL', '/graphqlx', '/graphql/x', '//graphql'])('is not served at %s', async (path, { world, secret }) => {
  expect(await send(world, whole(secret, `POST ${path} HTTP/1.1`, CLOSE))).toMatch(/^HTTP\/1.1 404 /)
})

it('answers requests on one connection in order, however long each takes', async ({ world, secret }) => {
  const bad = whole(secret, 'POST /graphql HTTP/1.1').replace(secret, 'hunter2')
  const answers = await send(
    world,
    whole(secret, 'POST /graphql HTTP/1.1') + bad + whole(secret, 'POST /graphql HTTP/1.1', CLOSE),
  )
  expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 401', 'HTTP/1.1 200'])
})

it.for(['at once', 'in pieces'])('a byte order mark before the JSON is ignored, %s', async (how, { world, secret }) => {
  const body = how === 'at once' ? `\uFEFF${BODY}` : new Blob(['\uFEFF', BODY]).stream()
  const headers = { 'api-secret': secret, 'content-type': 'application/json' }
  const response = await fetch(`${world.url}/graphql`, { method: 'POST', headers, body, duplex: 'half' })
  expect(await response.text()).toBe(ANSWER)
})

it('reads a body that arrives in pieces, split inside a character', async ({ world, secret }) => {
  const bytes = Buffer.from('{"query":"mutation { createDevice(input: { name: \\"größe\\" }) { name } }"}')
  const cut = bytes.indexOf(0xc3) + 1
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  socket.write(head(secret, 'POST /graphql HTTP/1.1', 'transfer-encoding: chunked', CLOSE))
  for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
    socket.write(`${piece.length.toString(16)}\r\n`)
    socket.write(piece)
    socket.write('\r\n')
  }
  socket.write('0\r\n\r\n')
  expect(await text(socket)).toContain('{"createDevice":{"name":"größe"}}')
})

it.for<[string, (secret: string) => string]>([
  ['one that says so', (secret) => head(secret, 'POST /graphql HTTP/1.1', 'content-length: 20000000')],
  [
    'one that does not',
    (secret) =>
      `${head(secret, 'POST /graphql HTTP/1.1', 'transfer-encoding: chunked')}1e8480\r\n${' '.repeat(2_000_000)}\r\n0\r\n\r\n`,
  ],
])('refuses a body that is too large before all of it is there: %s', async ([_what, request], { world, secret }) => {
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  socket.write(request(secret))
  const answer = String((await once(socket, 'data'))[0])
  expect(answer).toMatch(/^HTTP\/1.1 413 /)
  expect(answer).toContain('"code":"PAYLOAD_TOO_LARGE"')
  socket.destroy()
})

const PATHS = ['/graphql', '/mcp', '/portal/graphql', '/auth/sign-in']
const LARGE = Buffer.alloc(9_000_000, ' ')
const largeTo = (path: string, secret: string, ...more: string[]) => head(secret, `POST ${path} HTTP/1.1`, ...more)

it.for(PATHS)(
  'a client that writes all of its body before it reads gets the refusal: %s',
  async (path, { world, secret }) => {
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
    socket.pause()
    await sent(socket, largeTo(path, secret, `content-length: ${LARGE.length}`))
    await sent(socket, LARGE)
    await sent(socket, whole(secret, 'POST /graphql HTTP/1.1', CLOSE)) // the connection stays
    expect((await text(socket)).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
  },
)

it.for(PATHS)('and so does one of node:http: %s', async (path, { world, secret }) => {
  const headers = { 'api-secret': secret, 'content-type': 'application/json', 'content-length': LARGE.length }
  const request = sendRequest(`${world.url}${path}`, { method: 'POST', headers })
  const [[response]] = await Promise.all([once(request, 'response'), once(request.end(LARGE), 'finish')])
  expect([response.statusCode, await text(response)]).toEqual([413, expect.stringContaining('PAYLOAD_TOO_LARGE')])
})

it.for([...PATHS, '/leaks'])('one that sends without end is cut off: %s', async (path, { world, secret }) => {
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  socket.on('error', () => {}) // the reset that it waits for
  socket.write(largeTo(path, secret, 'transfer-encoding: chunked'))
  const chunk = Buffer.concat([Buffer.from('f4240\r\n'), Buffer.alloc(1_000_000, ' '), Buffer.from('\r\n')])
  let chunks = 0
  for (; !socket.destroyed && chunks < 1000; chunks += 1) await sent(socket, chunk).catch(() => socket.destroy())
  expect(chunks).toBeGreaterThan(16)
  expect(chunks).toBeLessThan(100)
})

const sent = (socket: Socket, part: string | Buffer) =>
  new Promise<void>((resolve, reject) => socket.write(part, (error) => (error ? reject(error) : resolve())))

it('a client that disconnects during its body causes no error log', async ({ world, secret }) => {
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  socket.write(head(secret, 'POST /graphql HTTP/1.1', 'content-length: 100'))
  socket.write('{"query":')
  await world.asKey(secret).call('{ viewer { role } }') // by now it is being read
  socket.destroy()
  await expect.poll(() => world.logged().some((line) => line.includes('"status":400'))).toBe(true)
  expect(world.logged().filter((line) => line.includes('"bug"'))).toEqual([])
})

it('an aborted body is refused', async () => {
  const request = new IncomingMessage(new Socket())
  Object.assign(request, { method: 'POST', headers: { 'content-type': 'application/json' } })
  request.destroy()
  await expect(readJsonText(request, 1000)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
})

it('what comes after a refused piece of a large body starts nothing anew', async () => {
  const request = new IncomingMessage(new Socket())
  Object.assign(request, { method: 'POST', headers: { 'content-type': 'application/json' } })
  let started = 0
  const start = () => {
    if (++started === 1) throw new AppError('RATE_LIMITED')
    return () => {}
  }
  const reading = readJsonText(request, 10, { maxBytes: 1000, start })
  request.emit('data', Buffer.alloc(20))
  await expect(reading).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  request.emit('data', Buffer.alloc(20))
  expect(started).toBe(1)
})
