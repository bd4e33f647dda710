import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { metricsOf } from '../../../test/support/world/metrics.ts'
import { startWorld, type World } from '../../../test/support/world/world.ts'
import { LIMITS } from '../../config/limits.ts'
import { waitForTurn } from '../../lib/event-loop.ts'
import { mintSecret } from '../../secrets/secret.ts'

const PATH = '/graphql'
const HEAD_READ = 'http.server.request.start'
const REFUSED_KEYS = 40

const good = mintSecret('emp_')
const SECRETS = {
  garbage: 'not-a-key',
  'a wrong checksum': `${good.slice(0, -1)}${good.endsWith('a') ? 'b' : 'a'}`,
  'a mistyped character': `${good.slice(0, 20)}${good[20] === 'a' ? 'b' : 'a'}${good.slice(21)}`,
  'the prefix alone': 'emp_',
  'a secret of another kind': mintSecret('ems_'),
  'one character too many': `${good}x`,
  'one too few': good.slice(0, -1),
  'a space within': good.replace('_', ' '),
  'no ASCII': 'emp_Schlüssel',
  'one of 8 KB': 'k'.repeat(8000),
  'two in one request': `${good}\r\napi-secret: ${good}`,
}

const PREFLIGHT = 'OPTIONS of a browser'
const BODY = JSON.stringify({ query: '{ devices { data { id } } }' })
const LAST = 'GET /health/live HTTP/1.1\r\nhost: portal\r\nconnection: close\r\n\r\n'
const JSON_BODY = `content-type: application/json\r\ncontent-length: ${BODY.length}`

interface Form {
  method?: string
  query?: string
  version?: string
  headers?: string
  body?: string
}

const requestOf = (path: string, secret: string, form: Form = {}) => {
  const { method = 'POST', query = '', version = '1.1', headers = JSON_BODY, body = BODY } = form
  const lines = [`${method} ${path}${query} HTTP/${version}`, 'host: portal', `api-secret: ${secret}`, headers]
  return `${lines.filter((line) => line !== '').join('\r\n')}\r\n\r\n${body}`
}

const chunked = (size: number) =>
  `${Array.from({ length: 3 }, () => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`).join('')}0\r\n\r\n`

const BY_QUERY = { query: '?query=%7Bviewer%7Brole%7D%7D', headers: '', body: '' }
const withHeader = (header: string): Form => ({ headers: `${JSON_BODY}\r\n${header}` })

/** Each is what a client writes on one connection, in parts: the next one when there is something to read. */
const FORMS: Record<string, (path: string, secret: string) => string[]> = {
  'one by HTTP/1.0': (path, secret) => [requestOf(path, secret, { version: '1.0' })],
  'one by HTTP/1.0 that keeps the connection': (path, secret) => [
    requestOf(path, secret, { version: '1.0', ...withHeader('connection: keep-alive') }),
    LAST,
  ],
  'the last on its connection': (path, secret) => [requestOf(path, secret, withHeader('connection: close'))],
  'a query by GET': (path, secret) => [requestOf(path, secret, { method: 'GET', ...BY_QUERY }), LAST],
  HEAD: (path, secret) => [requestOf(path, secret, { method: 'HEAD', ...BY_QUERY }), LAST],
  PUT: (path, secret) => [requestOf(path, secret, { method: 'PUT' }), LAST],
  [PREFLIGHT]: (path, secret) => [
    requestOf(path, secret, {
      method: 'OPTIONS',
      headers: 'origin: https://app.example\r\naccess-control-request-method: POST',
      body: '',
    }),
    LAST,
  ],
  'a page of an allowed origin': (path, secret) => [
    requestOf(path, secret, withHeader('origin: https://app.example')),
    LAST,
  ],
  'a page of another origin': (path, secret) => [
    requestOf(path, secret, withHeader('origin: https://elsewhere.example')),
    LAST,
  ],
  'GraphQL’s own type': (path, secret) => [
    requestOf(path, secret, withHeader('accept: application/graphql-response+json')),
    LAST,
  ],
  'a type that is not there': (path, secret) => [requestOf(path, secret, withHeader('accept: text/html')), LAST],
  'no body': (path, secret) => [requestOf(path, secret, { headers: 'content-length: 0', body: '' }), LAST],
  'no JSON': (path, secret) => [requestOf(path, secret, { headers: 'content-length: 3', body: 'x=1' }), LAST],
  'a body in chunks': (path, secret) => [
    requestOf(path, secret, { headers: 'transfer-encoding: chunked', body: chunked(100) }),
    LAST,
  ],
  'a large body in chunks': (path, secret) => [
    requestOf(path, secret, { headers: 'transfer-encoding: chunked', body: chunked(100_000) }),
    LAST,
  ],
  'a body that comes later': (path, secret) => [requestOf(path, secret, { body: '' }), BODY + LAST],
  'a part of the body': (path, secret) => [requestOf(path, secret, { body: BODY.slice(0, 9) }), BODY.slice(9) + LAST],
  'Expect: 100-continue': (path, secret) => [
    requestOf(path, secret, { ...withHeader('expect: 100-continue'), body: '' }),
    BODY + LAST,
  ],
  'several without waiting': (path, secret) => [
    requestOf(path, secret) +
      requestOf(path, good) +
      requestOf(path, secret, { method: 'GET', ...BY_QUERY }) +
      requestOf('/graphql', '') +
      requestOf(path, secret),
    LAST,
  ],
}

const plainCall = (path: string, secret: string) => [requestOf(path, secret), LAST]
const CASES = [
  ...Object.entries(SECRETS).map(([name, secret]) => [name, plainCall, secret] as const),
  ...Object.entries(FORMS).map(([form, write]) => [form, write, SECRETS.garbage] as const),
]

/** All that a connection gets until the server closes it. */
async function exchange({ url }: World, parts: readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setNoDelay()
  onTestFinished(() => void socket.destroy())
  const [first = '', ...rest] = parts
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
    const next = rest.shift()
    if (next !== undefined) socket.write(next, 'latin1')
  })
  socket.write(first, 'latin1')
  await once(socket, 'close')
  return received
}

/** Without the date and the ids of requests, which may be longer by a digit. */
const comparable = (received: string): string =>
  received
    .split(/(?=HTTP\/1\.1 )/)
    .map((answer) => {
      const id = /(?<=\r\nx-request-id: ).+/i.exec(answer)?.[0] ?? 'none'
      const inBody = answer.startsWith('HTTP/1.1 4') ? id.length : 0
      return answer
        .replace(/(?<=\r\ndate: ).+/i, 'the date')
        .replace(/(?<=\r\ncontent-length: )\d+/i, (length) => `${Number(length) - inBody} and the id`)
        .replaceAll(id, 'the id')
    })
    .join('')

async function start(env: Record<string, string>): Promise<World> {
  const world = await startWorld({ env })
  onTestFinished(world.close)
  return world
}

it('A3: a malformed key has the same answer as an unknown one, however it is sent', async () => {
  const world = await start({ CORS_ORIGINS: 'https://app.example' })
  for (const [form, write, secret] of CASES) {
    const malformed = await exchange(world, write(PATH, secret))
    expect(comparable(malformed), form).toBe(comparable(await exchange(world, write(PATH, good))))
    if (form !== PREFLIGHT) expect(malformed, form).toMatch(/^HTTP\/1\.1 401 /m)
  }
})

it('over the limit of refused keys, a malformed key is 429 however it is sent', async () => {
  const world = await start({ RATE_LIMIT: '100', CORS_ORIGINS: 'https://app.example' })
  for (let i = 0; i <= LIMITS.refused_keys; i++) await world.asKey('x').call('{ x }')
  for (const [form, write, secret] of CASES)
    if (form !== PREFLIGHT) expect(await exchange(world, write(PATH, secret)), form).toMatch(/^HTTP\/1\.1 429 /m)
})

it('P4: it is counted and logged', async () => {
  const world = await start({})
  await exchange(world, [requestOf(PATH, SECRETS.garbage), LAST])
  const lines = world.logged().map((line) => JSON.parse(line))
  const { time, requestId, ms, ...logged } = lines.find(({ status }) => status === 401)
  expect((await metricsOf(world))['portal_http_requests_total{route="/graphql",status="401"}']).toBe(1)
  const expected = { level: 'info', msg: 'request', method: 'POST', route: '/graphql', status: 401, ip: '127.0.0.1' }
  expect(logged).toEqual(expected)
})

it('refused keys of a source are limited whatever is wrong with them, and others are not affected', async () => {
  const world = await start({ RATE_LIMIT: '100', TRUST_PROXY: 'on' })
  const sent = async (from: string, secret: string) => {
    const headers = { 'api-secret': secret, 'x-forwarded-for': from, 'content-type': 'application/json' }
    const { status } = await fetch(`${world.url}/graphql`, { method: 'POST', headers, body: BODY })
    return status
  }
  const statuses: number[] = []
  for (let i = 0; i < REFUSED_KEYS; i++) statuses.push(await sent('192.0.2.1', i % 2 === 0 ? good : SECRETS.garbage))
  expect(statuses.filter((status) => status === 401)).toHaveLength(LIMITS.refused_keys)
  expect(statuses.slice(LIMITS.refused_keys).every((status) => status === 429)).toBe(true)
  expect(await sent('192.0.2.2', SECRETS.garbage)).toBe(401)
})

it('C16: it takes its turn when others wait for theirs', async () => {
  const world = await start({})
  let isOver = false
  const crowd = Array.from({ length: 20 }, async (_, group) => {
    while (!isOver) {
      await waitForTurn(() => `group ${group}`)
      for (const until = performance.now() + 5; performance.now() < until; );
    }
  })
  const { promise: isAnsweredAtOnce, resolve } = Promise.withResolvers<boolean>()
  const watch = (message: unknown) => {
    const { response } = message as { response: ServerResponse } // what this channel publishes
    setImmediate(() => setImmediate(() => resolve(response.writableEnded)))
  }
  subscribe(HEAD_READ, watch)
  onTestFinished(() => void unsubscribe(HEAD_READ, watch))
  const answer = exchange(world, [requestOf(PATH, SECRETS.garbage, withHeader('connection: close'))])
  expect(await isAnsweredAtOnce).toBe(false)
  expect(await answer).toMatch(/^HTTP\/1\.1 401 /)
  isOver = true
  await Promise.all(crowd)
})
