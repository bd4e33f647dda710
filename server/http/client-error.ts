import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type AppError, ERRORS, type ErrorCode } from '../lib/app-error.ts'
import { SECOND } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { createLogSampler } from '../lib/log-sampler.ts'
import { type Headers, REQUEST_ID } from './headers.ts'
import { graphqlType, JSON_TYPE } from './media-type.ts'

const bodyOf = (words: string, requestId: string | undefined, code: ErrorCode = 'BAD_REQUEST') =>
  JSON.stringify({ errors: [{ message: words, extensions: { code, requestId } }] })

const headersOf = (all: Headers, body: string) => ({
  'content-type': JSON_TYPE,
  ...all,
  'content-length': String(Buffer.byteLength(body)),
  connection: 'close',
})

/**
 * Answers what is not HTTP, or is too slow or too large to be a request, in the shape of all errors. Logs one line a
 * second for each reason, with the number of others.
 */
export function createNonHttpRefusal(log: Log, all: Headers, newRequestId: () => string, now?: () => number) {
  const seldom = createLogSampler(now)
  const refuseAtOnce = (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return
    const [status, words] = STATUS[error.code ?? ''] ?? ['400 Bad Request', 'This is not an HTTP request.']
    const others = seldom(error.code ?? '')
    const requestId = newRequestId()
    const line = { requestId, status: Number(status.slice(0, 3)), reason: error.code, ...(others && { others }) }
    log[others === undefined ? 'debug' : 'info'](line, 'connection refused')
    const body = bodyOf(words, requestId)
    const head = Object.entries(headersOf({ ...all, [REQUEST_ID]: requestId }, body)).map(
      ([name, value]) => `${name}: ${value}`,
    )
    socket.end([`HTTP/1.1 ${status}`, ...head, '', body].join('\r\n'))
  }
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === TOO_SLOW) unlessAnswered(socket, () => refuseAtOnce(error, socket))
    else refuseAtOnce(error, socket)
  }
}

/**
 * After a standstill of the process (a paused machine, no processor) Node.js finds connections too old before it has read
 * the requests that had long arrived: these are read first. It looks at each only once, so a client that really is slow
 * is refused here.
 */
function unlessAnswered(socket: Socket, refuse: () => void): void {
  const { bytesRead, bytesWritten } = socket
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) return refuse()
    setTimeout(() => socket.bytesWritten === bytesWritten && refuse(), TIME_TO_ANSWER).unref()
  })
}

const TIME_TO_ANSWER = 10 * SECOND
const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT'

const STATUS: Record<string, [string, string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large: 16 KiB at most.'],
  [TOO_SLOW]: [
    '408 Request Timeout',
    'The request was too slow: its headers must arrive within 10 s, all of it within 30 s.',
  ],
}

/** What Node.js would refuse without an error body: an HTTP/1.1 request needs a Host header. */
export const lacksHost = ({ headers, httpVersion }: IncomingMessage) =>
  headers.host === undefined && httpVersion === '1.1'

export const refuseWithoutHost = (response: ServerResponse, all: Headers) =>
  refuse(response, 400, 'Send a Host header.', all)

export const refuseExpectation = (response: ServerResponse, all: Headers) =>
  refuse(response, 417, 'Of Expect, only 100-continue is understood.', all)

/** Refuses a request before it reaches a route; the error code tells the client that it may retry. */
export function refuseUnfinished(
  { headers: { accept } }: IncomingMessage,
  response: ServerResponse,
  { code, message }: AppError,
  all: Headers,
): void {
  const headers = { ...all, 'content-type': graphqlType(accept), 'retry-after': '1' }
  refuse(response, ERRORS[code].status, message, headers, code)
}

function refuse(response: ServerResponse, status: number, words: string, all: Headers, code?: ErrorCode): void {
  const body = bodyOf(words, all[REQUEST_ID], code)
  response.writeHead(status, headersOf(all, body)).end(body)
}
