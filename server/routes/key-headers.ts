import type { IncomingHttpHeaders } from 'node:http'
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

/** The error for a request without a key, which may have it in another header. */
export function missingKey(headers: IncomingHttpHeaders): AppError {
  const elsewhere =
    headers.authorization !== undefined ? 'Authorization' : 'x-api-key' in headers ? 'x-api-key' : undefined
  if (!elsewhere) return new AppError('UNAUTHENTICATED')
  return new AppError('UNAUTHENTICATED', { message: `Send the API key in the api-secret header, not in ${elsewhere}.` })
}
