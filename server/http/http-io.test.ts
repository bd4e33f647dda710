import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { connect, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWorld, type World } from '../../test/support/world.ts'
import { readJsonText, takeJsonText } from './http-io.ts'

const BODY = '{"query":"{ viewer { role } }"}'
const ANSWER = '{"data":{"viewer":{"role":"ADMIN"}}}'

let world: World
let secret: string

beforeAll(async () => {
  world = await startWorld()
  const ada = await world.signUp('Ada')
  secret = (await world.generateKey(ada, await world.organization('Acme', { admin: ada }))).secret
})
afterAll(() => world.close())

/** Sends bytes as they are, the last request with `connection: close`, and reads until the server has closed. */
async function send(...parts: string[]): Promise<string> {
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  await once(socket, 'connect')
  for (const part of parts) socket.write(part)
  return text(socket)
}

const head = (line: string, ...headers: string[]) =>
  [line, 'host: portal.example', `api-secret: ${secret}`, 'content-type: application/json', ...headers, '', ''].join(
    '\r\n',
  )

const whole = (line: string, ...headers: string[]) => head(line, `content-length: ${BODY.length}`, ...headers) + BODY

const CLOSE = 'connection: close'

it.each(['/graphql', '/graphql/', '/graphql?from=ci', 'http://portal.example/graphql'])(
  'is reached at %s',
  async (path) => {
    expect(await send(whole(`POST ${path} HTTP/1.1`, CLOSE))).toContain(ANSWER)
  },
)

it.each(['/GRAPHQL', '/graphqlx', '/graphql/x', '//graphql'])('is not at %s', async (path) => {
  expect(await send(whole(`POST ${path} HTTP/1.1`, CLOSE))).toMatch(/^HTTP\/1.1 404 /)
})

it('answers requests on one connection in their order, whatever each takes', async () => {
  const bad = whole('POST /graphql HTTP/1.1').replace(secret, 'hunter2')
  const answers = await send(whole('POST /graphql HTTP/1.1') + bad + whole('POST /graphql HTTP/1.1', CLOSE))
  expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 401', 'HTTP/1.1 200'])
})

it('takes a body that comes in pieces, through the middle of a character', async () => {
  const bytes = Buffer.from('{"query":"mutation { createDevice(input: { name: \\"größe\\" }) { name } }"}')
  const cut = bytes.indexOf(0xc3) + 1
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  socket.write(head('POST /graphql HTTP/1.1', 'transfer-encoding: chunked', CLOSE))
  for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
    socket.write(`${piece.length.toString(16)}\r\n`)
    socket.write(piece)
    socket.write('\r\n')
  }
  socket.write('0\r\n\r\n')
  expect(await text(socket)).toContain('{"createDevice":{"name":"größe"}}')
})

it.each([
  ['one that says so', () => head('POST /graphql HTTP/1.1', 'content-length: 2000000')],
  [
    'one that does not',
    () =>
      `${head('POST /graphql HTTP/1.1', 'transfer-encoding: chunked')}1e8480\r\n${' '.repeat(2_000_000)}\r\n0\r\n\r\n`,
  ],
])('refuses too large a body and closes the connection: %s', async (_what, request) => {
  const answer = await send(request())
  expect(answer).toMatch(/^HTTP\/1.1 413 /)
  expect(answer).toContain('"code":"PAYLOAD_TOO_LARGE"')
  expect(answer).toMatch(/^connection: close$/im)
})

it('a client that goes away in the middle of its body leaves no trace of a bug', async () => {
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  socket.write(head('POST /graphql HTTP/1.1', 'content-length: 100'))
  socket.write('{"query":')
  await world.asKey(secret).call('{ viewer { role } }') // by now it is being read
  socket.destroy()
  await expect.poll(() => world.logged().some((line) => line.includes('"status":400'))).toBe(true)
  expect(world.logged().filter((line) => line.includes('"bug"'))).toEqual([])
})

it.each([
  ['taken', takeJsonText],
  ['waited for', readJsonText],
])('a body that has broken off before it is %s is refused', async (_how, read) => {
  const request = new IncomingMessage(new Socket())
  Object.assign(request, { method: 'POST', headers: { 'content-type': 'application/json' } })
  request.destroy()
  await expect((async () => read(request, 1000))()).rejects.toMatchObject({ code: 'BAD_REQUEST' })
})
