import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../lib/app-error.ts'

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

/** The same for every route of Fastify, before it reads the body. */
export function refuseCompressedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', async ({ headers }) => requireUncompressed(headers))
}
