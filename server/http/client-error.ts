import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FailureCode } from '../lib/failure.ts'
import type { Log } from '../lib/log.ts'
import type { Headers } from './headers.ts'

const CODE: FailureCode = 'BAD_REQUEST'

const bodyOf = (words: string) => JSON.stringify({ errors: [{ message: words, extensions: { code: CODE } }] })

const headersOf = (all: Headers, body: string) => ({
  ...all,
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(Buffer.byteLength(body)),
  connection: 'close',
})

/** Answers what is not HTTP, or comes too slowly or too large to be a request, in the shape that all errors have. */
export function refuseNonHttp(error: Error & { code?: string }, socket: Socket, log: Log, all: Headers): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const [status, words] = STATUS[error.code ?? ''] ?? ['400 Bad Request', 'This is not an HTTP request.']
  log.info({ status: Number(status.slice(0, 3)), reason: error.code }, 'connection refused')
  const body = bodyOf(words)
  const head = Object.entries(headersOf(all, body)).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status}`, ...head, '', body].join('\r\n'))
}

const STATUS: Record<string, [string, string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large: 16 KiB at most.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not come to an end within 30 s.'],
}

/** What Node.js itself would refuse without a word: a request of HTTP/1.1 needs a Host. */
export const lacksHost = ({ headers, httpVersion }: IncomingMessage) =>
  headers.host === undefined && httpVersion === '1.1'

export const refuseWithoutHost = (response: ServerResponse, all: Headers) =>
  refuse(response, 400, 'Send a Host header.', all)

export const refuseExpectation = (response: ServerResponse, all: Headers) =>
  refuse(response, 417, 'Of Expect, only 100-continue is understood.', all)

function refuse(response: ServerResponse, status: number, words: string, all: Headers): void {
  const body = bodyOf(words)
  response.writeHead(status, headersOf(all, body)).end(body)
}
