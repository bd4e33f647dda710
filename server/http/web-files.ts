import { readdirSync } from 'node:fs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { wantedEncoding } from './encoding.ts'

const ASSETS = 'assets'
const PARTS_OF_PAGES = ['index.html', 'first-load.json']
const YEAR = `public, max-age=${365 * 24 * 60 * 60}, immutable`
const SUFFIX = { br: '.br', gzip: '.gz' } as const

/** Files in `assets` are named by their content, and cached for a year. They have one route: one for each would take a third of a start. */
export function webFiles(webDir: string) {
  const assets = new Set(filesIn(`${webDir}/${ASSETS}`))
  const others = filesIn(webDir).filter((name) => !PARTS_OF_PAGES.includes(name))

  async function sendFile(reply: FastifyReply, path: string, present: (path: string) => boolean, cacheControl: string) {
    const { default: send } = await import('@fastify/send') // only for browsers
    const { raw, headers } = reply.request
    const wanted = wantedEncoding(headers['accept-encoding'], ['br', 'gzip'])
    const encoding = wanted && present(path + SUFFIX[wanted]) ? wanted : undefined
    const sent = await send(raw, path + (encoding ? SUFFIX[encoding] : ''), {
      root: webDir,
      cacheControl: false,
      index: false,
    })
    if (sent.type === 'error' && sent.statusCode !== 404) throw sent.metadata.error
    if (sent.type !== 'file') return reply.callNotFound()
    reply.code(sent.statusCode).headers(sent.headers).header('cache-control', cacheControl)
    reply.raw.appendHeader('vary', 'Accept-Encoding')
    if (encoding) reply.header('content-encoding', encoding).type(typeOf(path, send.mime))
    return reply.send(sent.stream)
  }

  return async (app: FastifyInstance): Promise<void> => {
    app.get<{ Params: { name: string } }>(`/${ASSETS}/:name`, async ({ params: { name } }, reply) =>
      assets.has(name)
        ? sendFile(reply, `${ASSETS}/${name}`, (path) => assets.has(path.slice(ASSETS.length + 1)), YEAR)
        : reply.callNotFound(),
    )
    for (const name of others) {
      app.get(`/${name}`, (_request, reply) => sendFile(reply, name, (path) => others.includes(path), 'no-cache'))
    }
  }
}

function typeOf(path: string, mime: { getType(path: string): string | null }): string {
  const type = mime.getType(path) ?? 'application/octet-stream'
  return /^text\/|javascript$|json$/.test(type) ? `${type}; charset=utf-8` : type
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
