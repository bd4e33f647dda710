import type { Socket } from 'node:net'
import { AppError } from '../lib/app-error.ts'
import { SECOND } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { createLogSampler } from '../lib/log-sampler.ts'
import { errorAnswer } from './error-response.ts'
import { type Headers, REQUEST_ID } from './headers.ts'

/** Answers what is no HTTP, too slow or too large in the shape of all errors, and logs one line a second for each reason. */
export function createNonHttpRefusal(log: Log, all: Headers, newRequestId: () => string, now?: () => number) {
  const seldom = createLogSampler(now)
  const refuseAtOnce = (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return
    const [status, words] = STATUS[error.code ?? ''] ?? ['400 Bad Request', 'This is not an HTTP request.']
    const others = seldom(error.code ?? '')
    const requestId = newRequestId()
    const line = { requestId, status: Number(status.slice(0, 3)), reason: error.code, ...(others && { others }) }
    log[others === undefined ? 'debug' : 'info'](line, 'connection refused')
    const { headers, body } = errorAnswer(new AppError('BAD_REQUEST', { message: words }), requestId)
    const length = String(Buffer.byteLength(body))
    const sent = { ...headers, ...all, [REQUEST_ID]: requestId, 'content-length': length, connection: 'close' }
    const head = Object.entries(sent).map(([name, value]) => `${name}: ${value}`)
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
