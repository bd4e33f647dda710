import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '../lib/failure.ts'
import type { Headers } from './headers.ts'

/** What was asked over HTTP; the body is null when there is none, or none that anybody reads. */
export interface HttpCall {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string | null
}

export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/**
 * Whether the body comes in one piece with the head, and not later. To be asked in the turn in which the request has come: by the
 * time that a promise goes on, the parser has handed over all that it had. Of a body in chunks nobody can tell so soon.
 */
export async function comesWhole(request: IncomingMessage): Promise<boolean> {
  await undefined
  return request.complete || request.readableLength >= Number(request.headers['content-length'])
}

/** Reads a body of JSON as the text that it is; any other kind of body is not read. */
export async function readJsonText(request: IncomingMessage, maxBytes: number): Promise<string | null> {
  if (request.method !== 'POST' || !isJson(request.headers['content-type'])) return null
  if (Number(request.headers['content-length']) > maxBytes) throw new Failure('PAYLOAD_TOO_LARGE')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const chunks: Buffer[] = []
  let received = 0
  request.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received > maxBytes) reject(new Failure('PAYLOAD_TOO_LARGE'))
    else chunks.push(chunk)
  })
  request.on('end', () => resolve(textOf(chunks)))
  request.on('error', (cause) => reject(new Failure('BAD_REQUEST', { says: 'The request broke off.', cause })))
  return promise
}

const isJson = (type: string | undefined) =>
  type === 'application/json' || /^application\/json\s*(;|$)/i.test(type ?? '')

function textOf([first, ...others]: Buffer[]): string {
  if (!first) return ''
  return (others.length === 0 ? first : Buffer.concat([first, ...others])).toString('utf8')
}

export function sendAnswer(response: ServerResponse, { status, headers, body }: HttpAnswer, ofAll: Headers): void {
  const length = Buffer.byteLength(body)
  response.writeHead(status, { ...ofAll, ...headers, 'content-length': length })
  response.end(body, length === body.length ? 'latin1' : 'utf8') // nothing but ASCII: need not be encoded again
}
