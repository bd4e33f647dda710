import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '../config.ts'
import { AppError } from '../lib/app-error.ts'
import { withoutRootDot } from '../lib/host.ts'
import type { HttpAnswer } from './send-answer.ts'

/** What pages of other origins may do, by `CORS_ORIGINS`. A cookie is never accepted from them. */
export interface Cors {
  /** Adds what lets a page read the response, if its origin may. Refusals have it too, so that a page can show them. */
  addHeaders(request: IncomingMessage, response: ServerResponse): void
  /** The answer to a browser that asks before it sends the request itself, which it does without a key. */
  preflight(request: IncomingMessage): HttpAnswer | undefined
}

const ALLOWED = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers':
    'api-secret, content-type, idempotency-key, mcp-method, mcp-name, mcp-protocol-version',
  'access-control-max-age': '7200', // two hours, the most that Chrome accepts
}
const EXPOSED = 'deprecation, idempotency-replayed, ratelimit, ratelimit-policy, retry-after, sunset, x-request-id'

const NOT_ALLOWED = new AppError('FORBIDDEN', {
  message: 'Pages of this origin may not call the API: the operator of the portal has not put it into CORS_ORIGINS.',
})

/** Undefined: no page of another origin may call the API. */
export function createCors({ corsOrigins }: Pick<Config, 'corsOrigins'>): Cors | undefined {
  if (corsOrigins === undefined) return undefined
  const allows = (origin: string | undefined) =>
    corsOrigins === '*' || (origin !== undefined && corsOrigins.has(withoutRootDot(origin)))

  return {
    addHeaders({ headers: { origin } }, response) {
      if (corsOrigins !== '*') response.appendHeader('vary', 'Origin')
      if (!allows(origin)) return
      response.setHeader('access-control-allow-origin', corsOrigins === '*' ? '*' : (origin ?? ''))
      response.setHeader('access-control-expose-headers', EXPOSED)
    },
    preflight({ method, headers }) {
      if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return undefined
      if (!allows(headers.origin)) throw NOT_ALLOWED
      return { status: 200, headers: ALLOWED, body: '' }
    },
  }
}
