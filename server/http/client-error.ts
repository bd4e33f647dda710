import type { Socket } from 'node:net'
import type { FailureCode } from '../lib/failure.ts'
import type { Log } from '../lib/log.ts'

/** Answers what is not HTTP, or comes too slowly or too large to be a request, in the shape that all errors have. */
export function refuseNonHttp(error: Error & { code?: string }, socket: Socket, log: Log): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const [status, words] = STATUS[error.code ?? ''] ?? ['400 Bad Request', 'This is not an HTTP request.']
  const code: FailureCode = 'BAD_REQUEST'
  log.info({ status: Number(status.slice(0, 3)), reason: error.code }, 'connection refused')
  const body = JSON.stringify({ errors: [{ message: words, extensions: { code } }] })
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

const STATUS: Record<string, [string, string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large: 16 KiB at most.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not come to an end within 30 s.'],
}
