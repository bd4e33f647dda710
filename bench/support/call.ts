import { type Agent, type IncomingHttpHeaders, type RequestOptions, request } from 'node:http'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

export const PAGE_SIZE = 20
export const DEVICES = `{ devices(first: ${PAGE_SIZE}) { data { id name } } }`
const TIMEOUT_MS = 5000

interface HttpAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

const headersOf = (body: string, secret: string) => ({
  'content-type': 'application/json',
  'content-length': String(Buffer.byteLength(body)),
  'api-secret': secret,
})

/** A GraphQL call as bytes on the wire, for the load generator. */
export function rawCall(port: number, secret: string, query = DEVICES): string {
  const body = JSON.stringify({ query })
  const headers = Object.entries({ host: `127.0.0.1:${port}`, ...headersOf(body, secret) })
  return `POST /graphql HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}

/** One GraphQL call, on a new connection unless an agent keeps one open. */
export function call(
  port: number,
  secret: string,
  query = DEVICES,
  agent: Agent | false = false,
  variables?: object,
): Promise<HttpAnswer> {
  const body = JSON.stringify({ query, variables })
  return send({ port, method: 'POST', path: '/graphql', agent, headers: headersOf(body, secret) }, body)
}

/** A metric of the portal, by name. */
export async function readMetric(port: number, name: string): Promise<number> {
  const { body } = await send({ port, path: '/metrics' }, '')
  const value = new RegExp(`^${name} (.+)$`, 'm').exec(body)?.[1]
  if (value === undefined) throw new Error(`/metrics does not tell ${name}.`)
  return Number(value)
}

/** The number of bytes of a file on the wire, with this encoding. */
export async function download(port: number, path: string, encoding: string): Promise<number> {
  const { status, headers } = await send({ port, path, headers: { 'accept-encoding': encoding } }, '')
  const bytes = Number(headers['content-length'])
  if (status !== 200 || !Number.isFinite(bytes)) throw new Error(`${path} cannot be loaded: ${status}`)
  return bytes
}

/** Calls until there is an answer, the server exits, or it takes too long. */
export async function callUntilAnswered(
  { port, secret, timeoutMs }: { port: number; secret: string; timeoutMs: number },
  hasExpired: () => boolean,
): Promise<HttpAnswer> {
  for (const end = performance.now() + timeoutMs; ; ) {
    try {
      return await call(port, secret)
    } catch (error) {
      if (hasExpired() || performance.now() > end) throw error
    }
    await pause(1)
  }
}

/** A port that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

async function send(options: RequestOptions, body: string): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>()
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  request({ host: '127.0.0.1', agent: false, signal, ...options }, (response) => {
    const { statusCode = 0, headers } = response
    text(response).then((body) => resolve({ status: statusCode, headers, body }), reject)
  })
    .once('error', reject)
    .end(body)
  return promise
}
