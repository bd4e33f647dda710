import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import helmet from '@fastify/helmet'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Deps } from '../deps.ts'
import { INSTALLED } from '../lib/installation.ts'
import { someBytes } from '../lib/random.ts'
import { webFiles } from './web-files.ts'
import { webPages } from './web-page.ts'
import { WEB_ROUTES } from './web-routes.ts'

const SLUG = /^[a-z0-9-]+$/

/** The built web interface, in a folder that no later build changes; undefined where there is none. */
export function findWeb(): string | undefined {
  const pointer = join(INSTALLED.web, 'current')
  const folder = existsSync(pointer) ? join(INSTALLED.web, readFileSync(pointer, 'utf8')) : undefined
  return folder && existsSync(join(folder, 'index.html')) ? folder : undefined
}

/**
 * The web interface: its files, and its page at each of its paths, which is never cached; nothing at others. Nothing
 * inline runs, and nothing comes from another host.
 */
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
        const isOfNobody = slug !== undefined && (!SLUG.test(slug) || isReserved(slug))
        return isOfNobody ? reply.callNotFound() : sendPage(reply, page)
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
