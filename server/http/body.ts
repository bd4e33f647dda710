import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import { tooLarge } from '../lib/too-large.ts'
import { type BulkLimit, createTextsCheck } from './bulk-body.ts'

/** An HTTP request; the body is null when there is none, or none that is read. */
export interface HttpCall {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string | null
}

/** To be asked in a later phase of the event loop than that in which the head arrived. Of a chunked body it is not known so early. */
export const isBodyBuffered = ({ headers, readableLength }: IncomingMessage): boolean =>
  readableLength > 0 && readableLength === Number(headers['content-length'])

/** A JSON body, once all of it has arrived; null: it is of another kind, which is not read. */
export async function readJsonText(
  request: IncomingMessage,
  maxBytes: number,
  bulk?: BulkLimit,
): Promise<string | null> {
  const { method, headers } = request
  if (method !== 'POST' || !JSON_BODY.test(headers['content-type'] ?? '')) return null
  if (headers['content-encoding'] !== undefined) requireUncompressed(headers)
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
  const onData = (chunk: Buffer) => {
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
  }
  try {
    requireRoomFor(Number(request.headers['content-length'] ?? 0))
    request.on('data', onData)
    request.on('end', () => resolve(undefined))
    request.on('error', (cause) => reject(aborted(cause)))
    await promise
  } finally {
    request.off('data', onData) // more of a refused body may come before the rest is discarded
    done?.()
  }
  return textOf(Buffer.concat(chunks))
}

/** About twice the largest body that is accepted. */
const MAX_DISCARDED_BYTES = 32 * 1024 * 1024

/** Most clients write all of the body before they read, and lose the answer if the connection is closed meanwhile. They have 30 seconds. */
export function discardRest(request: IncomingMessage): void {
  let discarded = 0
  request.removeAllListeners('data')
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > MAX_DISCARDED_BYTES) request.socket.destroy()
  })
}

const aborted = (cause?: unknown) => new AppError('BAD_REQUEST', { message: 'The request was aborted.', cause })

const JSON_BODY = /^application\/json\s*(;|$)/i

/** Files from Windows may begin with a byte order mark. */
const textOf = (body: Buffer) => body.toString('utf8').replace(/^\uFEFF/, '')

const COMPRESSED = /^(x-gzip|gzip|br|deflate|zstd|compress|x-compress)$/i

/** A compressed body is not read: what it expands to is known only afterwards. */
export function requireUncompressed({ 'content-encoding': encoding }: IncomingHttpHeaders): void {
  if (encoding === undefined || encoding === '' || encoding.toLowerCase() === 'identity') return
  const what = COMPRESSED.test(encoding) ? `Content-Encoding: ${encoding.toLowerCase()}` : 'this Content-Encoding'
  throw new AppError('BAD_REQUEST', {
    status: 415,
    message: `Bodies with ${what} are not accepted: send the JSON uncompressed, without a Content-Encoding header.`,
  })
}

/** Compressed bodies are refused on every route of Fastify, before it reads them. */
export function refuseCompressedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', async ({ headers }) => requireUncompressed(headers))
}
