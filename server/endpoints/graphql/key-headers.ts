import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { keyRefused, type Rotated } from '../../caller/verify-key.ts'
import type { HttpAnswer } from '../../http/send-answer.ts'
import { AppError } from '../../lib/app-error.ts'
import { SECOND } from '../../lib/clock.ts'
import { isWellFormed } from '../../secrets/secret.ts'

/** Tells clients that still use a replaced key since when it is replaced, and when it expires (RFC 9745, RFC 8594). */
export const addSunsetHeaders = (answered: HttpAnswer, { since, until }: Rotated): HttpAnswer => ({
  ...answered,
  headers: {
    ...answered.headers,
    deprecation: `@${Math.floor(since / SECOND)}`,
    sunset: new Date(until).toUTCString(),
  },
})

/** A well-formed secret in another header, where clients of other APIs send theirs, or with something around it. */
export function misplacedSecret(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['api-secret'] || headers.authorization || headers['x-api-key']
  const secret = typeof given === 'string' ? given.replaceAll(/["']/g, '').split(' ').at(-1) : undefined
  return secret !== undefined && isWellFormed('emp_', secret) ? secret : undefined
}

const NOT_ALONE = /^(?:(?:bearer|basic|apikey|token)\s|["'])/i

/** The error for a secret that no key has. */
export const unknownSecret = (secret: string): AppError =>
  NOT_ALONE.test(secret)
    ? new AppError('API_KEY_INVALID', {
        message: 'Send the secret alone in the api-secret header: no Bearer, no quotes.',
      })
    : keyRefused('invalid')

/** Where clients of other APIs send theirs: `Bearer`, `Basic` and the like in the first. */
const OTHER_HEADERS = [
  'Authorization',
  'x-api-key',
  'x-api-secret',
  'x-api-token',
  'x-auth-token',
  'x-access-token',
  'api-key',
  'api-token',
  'apikey',
  'api_secret',
  'token',
]
const KEY_IN_QUERY = /[?&](x-)?(api[-_]?(secret|key|token)|access[-_]?token|token|key)=/i
const KEY_IN_COOKIE = /(^|;\s*)(x-)?api[-_]?(secret|key)=/i

/** The error for a request without a key, which may have it elsewhere. */
export function missingKey({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): AppError {
  const elsewhere = elsewhereIn(headers, url)
  if (!elsewhere) return new AppError('UNAUTHENTICATED')
  return new AppError('UNAUTHENTICATED', { message: `Send the API key in the api-secret header, not in ${elsewhere}.` })
}

function elsewhereIn(headers: IncomingHttpHeaders, url: string): string | undefined {
  const header = OTHER_HEADERS.find((name) => headers[name.toLowerCase()] !== undefined)
  if (header !== undefined) return header
  if (KEY_IN_QUERY.test(url)) return 'the address, which others log'
  return KEY_IN_COOKIE.test(headers.cookie ?? '') ? 'a cookie' : undefined
}
