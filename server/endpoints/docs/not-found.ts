import type { FastifyReply } from 'fastify'
import type { Typefaces } from '../../http/typefaces.ts'
import { missingPage, PAGE_POLICY } from './html.ts'

/** Whether a person is in front of it: a browser that opens a page asks for HTML by name, scripts and tools do not. */
const asksForPage = ({ method, headers: { accept } }: FastifyReply['request']) =>
  (method === 'GET' || method === 'HEAD') && (accept?.includes('text/html') ?? false)

/** Where there is nothing: a page for people. Undefined: it is not a person who asks. */
export function sendMissingPage(reply: FastifyReply, typefaces: () => Typefaces): FastifyReply | undefined {
  reply.raw.appendHeader('vary', 'Accept')
  if (!asksForPage(reply.request)) return undefined
  const [ofWords] = typefaces().preloads
  if (ofWords !== undefined) reply.header('link', ofWords)
  return reply
    .code(404)
    .header('content-security-policy', PAGE_POLICY)
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(missingPage())
}
