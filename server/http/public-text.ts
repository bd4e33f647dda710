import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { compress, type Encoding, wantedEncoding } from './encoding.ts'

/** A text that is the same for everybody: it can be cached, and is asked for again with its ETag. */
export interface PublicText {
  type: string
  text: string
  etag: string
  encoded(encoding: Encoding): Promise<Buffer>
}

export function publicText(type: string, text: string): PublicText {
  const known = new Map<Encoding, Promise<Buffer>>()
  return {
    type,
    text,
    etag: `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`, // weak: the same for all encodings
    encoded(encoding) {
      const bytes = known.get(encoding) ?? compress(text, encoding)
      known.set(encoding, bytes)
      return bytes
    },
  }
}

/** Sends it, compressed if the client accepts that, or 304 if the client has it. */
export async function sendPublicText(reply: FastifyReply, served: PublicText): Promise<FastifyReply> {
  const { 'accept-encoding': accepted, 'if-none-match': has } = reply.request.headers
  reply.raw.appendHeader('vary', 'Accept-Encoding') // beside what CORS has set
  reply.header('cache-control', 'no-cache').header('etag', served.etag)
  if (has !== undefined && isAmong(has, served.etag)) return reply.code(304).send()
  const encoding = wantedEncoding(accepted)
  if (encoding === undefined) return reply.type(served.type).send(served.text)
  return reply
    .header('content-encoding', encoding)
    .type(served.type)
    .send(await served.encoded(encoding))
}

const isAmong = (tags: string, etag: string) =>
  tags.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag))

const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
