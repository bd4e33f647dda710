import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../lib/app-error.ts'
import { tooLarge } from '../lib/too-large.ts'
import { type BulkLimit, createTextsCheck } from './bulk-body.ts'
import { requireUncompressed } from './content-encoding.ts'
import { noteUnsent } from './unsent.ts'

/** An HTTP request; the body is null when there is none, or none that is read. */
export interface HttpCall {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string | null
}

export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  /** Bytes: it is compressed. */
  body: string | Buffer
}

/**
 * Whether the whole body arrived together with the headers. Call it after the parser has delivered what it has: in a later
 * phase of the event loop than the one in which the head arrived. For a chunked body this is not known so early.
 */
export const isBodyBuffered = ({ headers, readableLength }: IncomingMessage): boolean =>
  readableLength > 0 && readableLength === Number(headers['content-length'])

/** A JSON body, once all of it has arrived; null: it is of another kind, which is not read. */
export async function readJsonText(
  request: IncomingMessage,
  maxBytes: number,
  bulk?: BulkLimit,
): Promise<string | null> {
  if (!isOfJson(request)) return null
  requireUncompressed(request.headers)
  if (isBodyBuffered(request) && request.readableLength <= maxBytes) return textOf(request.read())
  if (request.destroyed) throw aborted() // while the key was looked up: no further event will come
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  const chunks: Buffer[] = []
  let received = 0
  let done: (() => void) | undefined
  let checkTexts: ((piece: Buffer) => void) | undefined
  const requireRoomFor = (bytes: number) => {
    if (bytes <= maxBytes) return
    if (!bulk || bytes > bulk.maxBytes) throw tooLarge(bulk?.maxBytes ?? maxBytes)
    done ??= bulk.start()
  }
  try {
    requireRoomFor(Number(request.headers['content-length'] ?? 0))
    request.on('data', (chunk: Buffer) => {
      received += chunk.length
      try {
        requireRoomFor(received)
        chunks.push(chunk)
        if (received <= maxBytes) return
        if (checkTexts) return checkTexts(chunk)
        checkTexts = createTextsCheck(maxBytes)
        chunks.forEach(checkTexts)
      } catch (error) {
        reject(error)
      }
    })
    request.on('end', () => resolve(undefined))
    request.on('error', (cause) => reject(aborted(cause)))
    await promise
  } finally {
    done?.()
  }
  return textOf(Buffer.concat(chunks))
}

/** About twice the largest body that is accepted. */
const MOST_DISCARDED_BYTES = 32 * 1024 * 1024

/**
 * Reads and drops what is left of the body when its request is refused early. Most clients write all of it before they read,
 * and lose the answer if the connection is closed meanwhile. Like any request they have 30 seconds.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete) return
  let discarded = 0
  request.removeAllListeners('data')
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > MOST_DISCARDED_BYTES) request.socket.destroy()
  })
}

const aborted = (cause?: unknown) => new AppError('BAD_REQUEST', { message: 'The request was aborted.', cause })

const isOfJson = ({ method, headers }: IncomingMessage) => method === 'POST' && isJson(headers['content-type'])

const isJson = (type: string | undefined) =>
  type === 'application/json' || /^application\/json\s*(;|$)/i.test(type ?? '')

/** Files from Windows may begin with a byte order mark. */
const textOf = (body: Buffer) => body.toString('utf8').replace(/^\uFEFF/, '')

/** Sends an answer with these fields and its own: names and values in turn, in a list of this request alone. */
export function sendAnswer(response: ServerResponse, { status, headers, body }: HttpAnswer, fields: string[]): void {
  const length = Buffer.byteLength(body)
  for (const name in headers) fields.push(name, valueIn(headers, name, response))
  fields.push('content-length', String(length))
  response.writeHead(status, fields) // a list costs a fifth less than an object
  response.end(body, length === body.length ? 'latin1' : 'utf8') // ASCII only: need not be encoded again
  noteUnsent(response, length)
}

/** `writeHead` would replace the Vary that CORS has set. */
function valueIn(headers: Record<string, string>, name: string, response: ServerResponse): string {
  const value = headers[name] ?? ''
  return name === 'vary' && response.hasHeader('vary') ? `${response.getHeader('vary')}, ${value}` : value
}
