import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, type Person, startWorld, type World } from '../../test/support/world/world.ts'

const READ = '{"query":"{ viewer { role } }"}'
const ASSET = '/assets/page-1234.js'

let webDir: string
let plain: World
let secure: World
let ada: Person
let secret: string

beforeAll(async () => {
  webDir = mkdtempSync(join(tmpdir(), 'portal-web-'))
  mkdirSync(join(webDir, 'assets'))
  writeFileSync(join(webDir, 'index.html'), '<!doctype html><p>NONCE')
  writeFileSync(join(webDir, 'first-load.json'), '{}')
  writeFileSync(join(webDir, 'icon.svg'), '<svg/>')
  writeFileSync(join(webDir, ASSET), 'run()')
  plain = await startWorld({ webDir })
  secure = await startWorld({ beside: plain, webDir, env: { BASE_URL: 'https://portal.example' } })
  ada = await plain.signUp('Ada')
  secret = (await plain.generateKey(ada, await plain.organization('Acme', { admin: ada }))).secret
})
afterAll(async () => {
  await secure.close()
  await plain.close()
  rmSync(webDir, { recursive: true })
})

interface Answered {
  status: number
  headers: Map<string, string>
  body: string
}

/** What the server answers to these bytes, once it has closed the connection: each line of the head by its name. */
async function headOf(world: World, request: string): Promise<Answered> {
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(request)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const named = fields.map((field): [string, string] => {
    const colon = field.indexOf(':')
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
  })
  const headers = new Map(named)
  expect(headers.size, 'no header is there twice').toBe(
    named.filter(([name]) => name !== 'set-cookie').length + (headers.has('set-cookie') ? 1 : 0),
  )
  return { status: Number(line.slice(9, 12)), headers, body }
}

function request(line: string, headers: Record<string, string> = {}, body = ''): string {
  const length = body === '' ? {} : { 'content-length': String(body.length), 'content-type': 'application/json' }
  const fields = Object.entries({ host: 'portal.example', connection: 'close', ...length, ...headers })
  return `${line} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}

const withKey = () => ({ 'api-secret': secret })
const json = (value: object) => JSON.stringify(value)
const bad = (query: string) => json({ query })

/** Every way in and every kind of refusal. */
const ANSWERS: [string, number, () => string][] = [
  ['/graphql', 200, () => request('POST /graphql', withKey(), READ)],
  ['/graphql by GET', 200, () => request('GET /graphql?query={viewer{role}}', withKey())],
  [
    '/graphql, another Accept',
    200,
    () => request('POST /graphql', { ...withKey(), accept: 'application/graphql-response+json' }, READ),
  ],
  ['/graphql, a failing field', 200, () => request('POST /graphql', withKey(), bad('{ device(id: "x") { id } }'))],
  ['/graphql, no GraphQL', 200, () => request('POST /graphql', withKey(), bad('{'))],
  ['/graphql without a key', 401, () => request('POST /graphql', {}, READ)],
  ['/graphql, a key that is none', 401, () => request('POST /graphql', { 'api-secret': 'x' }, READ)],
  ['/graphql, no JSON', 400, () => request('POST /graphql', withKey(), '{')],
  ['/graphql, a mutation by GET', 405, () => request('GET /graphql?query=mutation{revokeOtherSessions}', withKey())],
  ['/graphql, another method', 405, () => request('PUT /graphql', withKey(), READ)],
  ['/graphql, too large', 413, () => request('POST /graphql', withKey(), 'x'.repeat(300_000))],
  ['/graphql, another type', 415, () => request('POST /graphql', { ...withKey(), 'content-type': 'text/plain' }, READ)],
  ['/portal/graphql', 200, () => request('POST /portal/graphql', { cookie: ada.cookie }, READ)],
  ['/portal/graphql, signed out', 401, () => request('POST /portal/graphql', {}, READ)],
  ['/portal/graphql by GET', 405, () => request('GET /portal/graphql')],
  ['/portal/graphql, too large', 413, () => request('POST /portal/graphql', {}, 'x'.repeat(300_000))],
  [
    '/portal/graphql, another site',
    403,
    () => request('POST /portal/graphql', { origin: 'https://evil.example' }, READ),
  ],
  ['/auth/sign-in', 200, () => request('POST /auth/sign-in', {}, json({ email: ada.email, password: PASSWORD }))],
  ['/auth/sign-in, no JSON', 400, () => request('POST /auth/sign-in', {}, '{')],
  ['/auth/sign-in, a form', 415, () => request('POST /auth/sign-in', { 'content-type': 'text/plain' }, 'x')],
  ['/auth/sign-out', 200, () => request('POST /auth/sign-out', {}, '{}')],
  ['/auth/invitation', 404, () => request('POST /auth/invitation', {}, json({ token: 'x' }))],
  ['/health/live', 200, () => request('GET /health/live')],
  ['/health/ready', 200, () => request('GET /health/ready')],
  ['/metrics', 200, () => request('GET /metrics', { host: 'localhost' })],
  ['the page', 200, () => request('GET /sign-in')],
  ['the page, by HEAD', 200, () => request('HEAD /sign-in')],
  ['an asset that is not there', 404, () => request('GET /assets/page-0000.js')],
  ['nothing', 404, () => request('POST /nothing', {}, '{}')],
  ['another method', 404, () => request('OPTIONS /auth/sign-in')],
  ['an address that is none', 400, () => request('GET /%zz')],
  ['no Host', 400, () => 'GET /health/live HTTP/1.1\r\nconnection: close\r\n\r\n'],
  ['no Host at /graphql', 400, () => 'POST /graphql HTTP/1.1\r\nconnection: close\r\n\r\n'],
  ['an Expect that cannot be met', 417, () => request('GET /health/live', { expect: 'the-best' })],
  ['not HTTP', 400, () => 'hello\r\n\r\n'],
  ['headers that are too large', 431, () => request('GET /health/live', { 'x-long': 'x'.repeat(20_000) })],
]

describe('every response forbids type sniffing and caching, and does not name the server software', () => {
  it.each(ANSWERS)('%s: %i', async (_what, status, bytes) => {
    const answer = await headOf(plain, bytes())
    expect(answer.status).toBe(status)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    for (const name of ['strict-transport-security', 'server', 'x-powered-by'])
      expect(answer.headers.has(name)).toBe(false)
  })

  it.each(ANSWERS)('%s: the request id is the portal’s own, and that of the error', async (_what, _status, bytes) => {
    const sent = bytes()
    const ownId = sent.replace(/\r\n/, '\r\nx-request-id: mine\r\n')
    const [first, second] = [await headOf(plain, sent), await headOf(plain, ownId)]
    const idOf = ({ headers }: Answered) => headers.get('x-request-id')
    expect(idOf(first)).toMatch(/^[0-9a-z]{8}-[0-9a-z]+$/)
    expect(idOf(second)).toMatch(/^[0-9a-z]{8}-[0-9a-z]+$/)
    expect(idOf(second)).not.toBe(idOf(first))
    for (const answer of [first, second]) {
      const [, named] = /"requestId":"([^"]+)"/.exec(answer.body) ?? []
      if (answer.status >= 400) expect(named).toBe(idOf(answer))
    }
  })

  it('a file of the web interface may be cached', async () => {
    const cacheOf = async (path: string) => {
      const { status, headers } = await headOf(plain, request(`GET ${path}`))
      return [status, headers.get('x-content-type-options'), headers.get('cache-control')]
    }
    expect(await cacheOf(ASSET)).toEqual([200, 'nosniff', 'public, max-age=31536000, immutable'])
    expect(await cacheOf('/icon.svg')).toEqual([200, 'nosniff', 'no-cache'])
  })
})

describe('with an https BASE_URL, every response has HSTS', () => {
  it.each([...ANSWERS, ['an asset', 200, () => request(`GET ${ASSET}`)] as const])(
    '%s',
    async (_what, _status, bytes) => {
      const { headers } = await headOf(secure, bytes())
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains')
    },
  )
})
