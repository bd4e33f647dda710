import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply } from 'fastify'
import type { Config } from '../config.ts'
import { SESSION_LIFETIME_MS } from '../identity/session.ts'
import { SECOND } from '../lib/clock.ts'

type Place = Pick<Config, 'baseUrl'>

/** The cookie that holds the session's token; with https it is bound to this host. */
export const sessionCookieName = (place: Place) => (isSecure(place) ? '__Host-portal-session' : 'portal-session')

export function setSessionCookie(reply: FastifyReply, place: Place, token: string): void {
  reply.setCookie(sessionCookieName(place), token, { ...options(place), maxAge: SESSION_LIFETIME_MS / SECOND })
}

export function clearSessionCookie(reply: FastifyReply, place: Place): void {
  reply.clearCookie(sessionCookieName(place), options(place))
}

const isSecure = ({ baseUrl }: Place) => baseUrl?.protocol === 'https:'

/** Not readable by scripts, not sent by other sites and, with https, not over plain connections. */
const options = (place: Place): CookieSerializeOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax',
  secure: isSecure(place),
})
