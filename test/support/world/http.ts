import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface AnswerError {
  message: string
  code: string
  field?: string
  path?: (string | number)[]
  extensions: Record<string, unknown>
}

/** What a GraphQL call came back with; `data` is left for the test to name. */
export interface Answer {
  status: number
  data: unknown
  errors: AnswerError[]
  headers: Headers
}

export interface Posted {
  status: number
  body: unknown
  headers: Headers
  /** The session cookie that came back, as a client sends it. */
  cookie: string | undefined
}

/** One GraphQL call over real HTTP. */
export async function call(
  url: string,
  headers: Record<string, string>,
  query: string,
  variables: object = {},
): Promise<Answer> {
  const response = await send(url, headers, JSON.stringify({ query, variables }))
  const body = JSON.parse(response.text) as { data?: unknown; errors?: RawError[] } // the shape under test
  const errors = (body.errors ?? []).map(({ message, path, extensions = {} }) => ({
    message,
    code: String(extensions['code']),
    ...(typeof extensions['field'] === 'string' && { field: extensions['field'] }),
    ...(path && { path }),
    extensions,
  }))
  return { status: response.status, data: body.data, errors, headers: response.headers }
}

interface RawError {
  message: string
  path?: (string | number)[]
  extensions?: Record<string, unknown>
}

export async function post(
  url: string,
  body: unknown,
  { cookie, headers = {} }: { cookie?: string; headers?: Record<string, string> } = {},
): Promise<Posted> {
  const sent = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await send(url, { ...(cookie && { cookie }), ...headers }, sent)
  return {
    status: response.status,
    body: response.text === '' ? undefined : JSON.parse(response.text),
    headers: response.headers,
    cookie: response.headers.getSetCookie()[0]?.split(';')[0],
  }
}

const agent = new Agent({ keepAlive: true })

/** JSON by POST: what `fetch` does, for half of the time that it takes. */
async function send(url: string, headers: Record<string, string>, body: string) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const length = String(Buffer.byteLength(body))
  const usual = { 'content-type': 'application/json', 'content-length': length, accept: '*/*', 'user-agent': 'node' }
  request(url, { method: 'POST', agent, headers: { ...usual, ...headers } })
    .once('response', resolve)
    .on('error', reject)
    .end(body)
  const response = await promise
  return { status: response.statusCode ?? 0, headers: headersOf(response), text: await text(response) }
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  return headers
}
