import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply } from 'fastify'
import type { Config } from '../../config.ts'
import { SESSION_LIFETIME_MS } from '../../identity/session.ts'
import { SECOND } from '../../lib/clock.ts'

type CookieConfig = Pick<Config, 'baseUrl'>

/** The cookie that holds the session's token; with https it is bound to this host. */
export const sessionCookieName = (config: CookieConfig) =>
  isSecure(config) ? '__Host-portal-session' : 'portal-session'

export function setSessionCookie(reply: FastifyReply, config: CookieConfig, token: string): void {
  reply.setCookie(sessionCookieName(config), token, { ...options(config), maxAge: SESSION_LIFETIME_MS / SECOND })
}

export function clearSessionCookie(reply: FastifyReply, config: CookieConfig): void {
  reply.clearCookie(sessionCookieName(config), options(config))
}

const isSecure = ({ baseUrl }: CookieConfig) => baseUrl?.protocol === 'https:'

/** Not readable by scripts, not sent by other sites and, with https, not over plain connections. */
const options = (config: CookieConfig): CookieSerializeOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax',
  secure: isSecure(config),
})
