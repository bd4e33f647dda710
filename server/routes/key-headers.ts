import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { HttpAnswer } from '../http/http-io.ts'
import { AppError } from '../lib/app-error.ts'
import { SECOND } from '../lib/clock.ts'
import { isWellFormed } from '../lib/secret.ts'
import type { Rotated } from '../verify-key.ts'

/** Tells clients that still use a replaced key since when it is replaced, and when it expires (RFC 9745, RFC 8594). */
export const addSunsetHeaders = (answered: HttpAnswer, { since, until }: Rotated): HttpAnswer => ({
  ...answered,
  headers: {
    ...answered.headers,
    deprecation: `@${Math.floor(since / SECOND)}`,
    sunset: new Date(until).toUTCString(),
  },
})

/** A well-formed secret in another header, where clients of other APIs send theirs. */
export function misplacedSecret(headers: IncomingHttpHeaders): string | undefined {
  const given = headers.authorization?.split(' ').at(-1) ?? headers['x-api-key']
  return typeof given === 'string' && isWellFormed('emp_', given) ? given : undefined
}

/** Where clients of other APIs send theirs: `Bearer`, `Basic` and the like in the first. */
const OTHER_HEADERS = {
  authorization: 'Authorization',
  'x-api-key': 'x-api-key',
  'x-api-secret': 'x-api-secret',
  'x-auth-token': 'x-auth-token',
  'api-key': 'api-key',
  apikey: 'apikey',
  api_secret: 'api_secret',
}
const KEY_IN_QUERY = /[?&](x-)?(api[-_]?(secret|key)|access_token|token)=/i
const KEY_IN_COOKIE = /(^|;\s*)(x-)?api[-_]?(secret|key)=/i

/** The error for a request without a key, which may have it elsewhere. */
export function missingKey({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): AppError {
  const elsewhere = elsewhereIn(headers, url)
  if (!elsewhere) return new AppError('UNAUTHENTICATED')
  return new AppError('UNAUTHENTICATED', { message: `Send the API key in the api-secret header, not in ${elsewhere}.` })
}

function elsewhereIn(headers: IncomingHttpHeaders, url: string): string | undefined {
  for (const [header, shown] of Object.entries(OTHER_HEADERS)) if (headers[header] !== undefined) return shown
  if (KEY_IN_QUERY.test(url)) return 'the address, which others log'
  return KEY_IN_COOKIE.test(headers.cookie ?? '') ? 'a cookie' : undefined
}
