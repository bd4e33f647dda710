import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type GraphQLSchema, printSchema } from 'graphql'
import type { Deps } from '../../caller/deps.ts'
import { originOf } from '../../config.ts'
import { compress, type Encoding, wantedEncoding } from '../../http/encoding.ts'
import type { Typefaces } from '../../http/typefaces.ts'
import { AppError } from '../../lib/app-error.ts'
import { once } from '../../lib/once.ts'
import { llmsText } from './document-pages.ts'
import { PAGE_POLICY, STYLESHEET } from './html.ts'
import { readDocuments } from './served-documents.ts'
import { STYLE } from './style.ts'

const PATHS = ['/schema.graphql', '/robots.txt', '/llms.txt', STYLESHEET, '/docs', '/docs/*']

const TEXT = 'text/plain; charset=utf-8'
const HTML = 'text/html; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'

/** A portal is found by those who know its address, and its documents by everybody. */
const ROBOTS = `User-agent: *
Allow: /docs/
Allow: /llms.txt
Allow: /schema.graphql
Disallow: /
`

/**
 * What integrators look for, the same for everybody and without a key: `/schema.graphql`, `/docs/…`, `/llms.txt`,
 * `/robots.txt`. Each text is made when it is first asked for, so that a start does not wait for it.
 */
export function docsRoute({ config }: Deps, schema: GraphQLSchema, typefaces: () => Typefaces) {
  const documents = once(readDocuments)
  const made = new Map<string, PublicText>()

  const sendOnce = (reply: FastifyReply, path: string, type: string, text: () => string) => {
    const served = made.get(path) ?? publicText(type, text())
    made.set(path, served)
    return sendPublicText(reply, served)
  }

  async function sendDocument(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { '*': path = '' } = request.params as { '*'?: string } // as in the pattern below
    const { all, files } = documents()
    const example = files.get(path)
    if (example !== undefined) return sendOnce(reply, path, TEXT, () => example)
    const name = path.replace(/\.md$/, '').replace(/^$/, 'index')
    const found = all.find((document) => document.name === name)
    const isIndex = name === 'index' && path !== 'index'
    if (!found && !isIndex) {
      reply.callNotFound()
      return reply
    }
    const { documentPage, indexPage, indexText } = await import('./document-pages.ts')
    if (!path.endsWith('.md')) reply.raw.appendHeader('vary', 'Accept')
    if (path.endsWith('.md') || prefersMarkdown(request.headers.accept))
      return sendOnce(reply, `${name}.md`, MARKDOWN, () => found?.text ?? indexText(all))
    reply.header('content-security-policy', PAGE_POLICY).header('referrer-policy', 'no-referrer')
    const alternate = `</docs/${name}.md>; rel="alternate"; type="text/markdown"`
    reply.header('link', [alternate, ...typefaces().preloads].join(', '))
    return sendOnce(reply, name, HTML, () => (found ? documentPage(found, all) : indexPage(all)))
  }

  return async (app: FastifyInstance): Promise<void> => {
    app.get('/schema.graphql', (_request, reply) => sendOnce(reply, 'schema', TEXT, () => `${printSchema(schema)}\n`))
    app.get('/robots.txt', (_request, reply) => sendOnce(reply, 'robots', TEXT, () => ROBOTS))
    app.get('/llms.txt', (_request, reply) =>
      sendOnce(reply, 'llms', TEXT, () => llmsText(documents().all, originOf(config))),
    )
    app.get(STYLESHEET, (_request, reply) =>
      sendOnce(reply, 'style', 'text/css; charset=utf-8', () => typefaces().faces + STYLE),
    )
    app.get('/docs', sendDocument)
    app.get('/docs/*', sendDocument)
    for (const url of PATHS) {
      app.route({ method: ['POST', 'PUT', 'PATCH', 'DELETE'], url, onRequest: refuseWrite, handler: refuseWrite })
    }
  }
}

/** Before a body is read. */
async function refuseWrite(_request: FastifyRequest, reply: FastifyReply): Promise<never> {
  reply.header('allow', 'GET, HEAD')
  throw new AppError('BAD_REQUEST', { status: 405, message: 'Use GET. The API is at POST /graphql.' })
}

/** Whether a client names Markdown before HTML. */
function prefersMarkdown(accept = ''): boolean {
  const [markdown, html] = [accept.indexOf('text/markdown'), accept.indexOf('text/html')]
  return markdown >= 0 && (html < 0 || markdown < html)
}

/** A text that is the same for everybody: it can be cached, and is asked for again with its ETag. */
interface PublicText {
  type: string
  text: string
  etag: string
  encoded(encoding: Encoding): Promise<Buffer>
}

function publicText(type: string, text: string): PublicText {
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
async function sendPublicText(reply: FastifyReply, served: PublicText): Promise<FastifyReply> {
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
