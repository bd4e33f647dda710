import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import helmet from '@fastify/helmet'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Deps } from '../caller/deps.ts'
import type { Config } from '../config.ts'
import { INSTALLED } from '../lib/installation.ts'
import { someBytes } from '../lib/random.ts'
import { wantedEncoding } from './encoding.ts'
import { WEB_ROUTES } from './web-routes.ts'

const SLUG = /^[a-z0-9-]+$/
const ASSETS = 'assets'
const PARTS_OF_PAGES = ['index.html', 'first-load.json']
const YEAR = `public, max-age=${365 * 24 * 60 * 60}, immutable`
const SUFFIX = { br: '.br', gzip: '.gz' } as const

/** The built web interface, in a folder that no later build changes; undefined where there is none. */
export function findWeb(): string | undefined {
  const pointer = join(INSTALLED.web, 'current')
  const folder = existsSync(pointer) ? join(INSTALLED.web, readFileSync(pointer, 'utf8')) : undefined
  return folder && existsSync(join(folder, 'index.html')) ? folder : undefined
}

/** Its files, and its page at each of its paths, which is never cached. Nothing inline runs, and nothing comes from another host. */
export function web({ config, webDir }: Deps, { isReserved }: { isReserved(slug: string): boolean }) {
  return async (app: FastifyInstance): Promise<void> => {
    if (!webDir) return
    const pageOf = webPages(webDir, config)
    const isHttps = config.baseUrl?.protocol === 'https:'
    await app.register(helmet, {
      global: true,
      contentSecurityPolicy: false,
      hsts: false, // headers.ts sets these two for all responses
      noSniff: false,
      // No effect on plain http, and browsers complain about them.
      crossOriginOpenerPolicy: isHttps,
      originAgentCluster: isHttps,
    })
    await app.register(webFiles(webDir))
    for (const route of WEB_ROUTES) {
      const page = pageOf(route)
      app.get<{ Params: { slug?: string } }>(route.replaceAll('$', ':'), ({ params: { slug } }, reply) => {
        const cannotExist = slug !== undefined && (!SLUG.test(slug) || isReserved(slug))
        return cannotExist ? reply.callNotFound() : sendPage(reply, page)
      })
    }
  }
}

function sendPage(reply: FastifyReply, page: string): FastifyReply {
  const nonce = someBytes(16).toString('base64')
  return reply
    .header('content-security-policy', policy(nonce))
    .type('text/html; charset=utf-8')
    .send(page.replaceAll('NONCE', nonce))
}

/** Style tags carry the nonce, since components create some at run time; scripts are our own files only. */
const policy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Pages for people who are not signed in; the frame of all others has a head. */
const AUTH = /^\/(sign-in|sign-up|forgot-password|reset-password|reset|verify-email|invitations)(\/|$)/

/** Names all that the first load needs, so that it is fetched at once, with a frame to see before. `NONCE` is left for each response. */
export function webPages(webDir: string, { signUp, smtp }: Pick<Config, 'signUp' | 'smtp'>): (route: string) => string {
  const html = stylesAfterFrame(readFileSync(join(webDir, 'index.html'), 'utf8'))
    .replace('SIGN_UP', signUp ? 'on' : 'off')
    .replace('SENDS_MAIL', smtp ? 'on' : 'off')
  // The scripts that each page needs before it is there: web/build/first-load.ts writes which.
  const scripts: Record<string, string[]> = JSON.parse(readFileSync(join(webDir, 'first-load.json'), 'utf8'))
  return (route) =>
    html
      .replaceAll('FRAME', AUTH.test(route) ? 'auth' : 'page')
      .replace('</head>', `${(scripts[route] ?? []).map(preload).join('')}</head>`)
}

/** The stylesheet comes after the frame, which does not wait for it. */
function stylesAfterFrame(html: string): string {
  const [link = ''] = /<link rel="stylesheet"[^>]*>/.exec(html) ?? []
  return html.replace(link, '').replace('<noscript>', `${link}<noscript>`)
}

const preload = (file: string) => `<link rel="modulepreload" crossorigin href="/${file}">`

/** Files in `assets` are named by their content, and cached for a year. They have one route: one for each would take a third of a start. */
function webFiles(webDir: string) {
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
