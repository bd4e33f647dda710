import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RecordRequest } from '../http/access-log.ts'
import { REQUEST_ID } from '../http/headers.ts'
import { discardBufferedBody, sendAnswer } from '../http/http-io.ts'
import { graphqlType } from '../http/media-type.ts'
import type { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { yieldToOthers } from '../lib/event-loop.ts'
import { isWellFormed } from '../lib/secret.ts'
import { sourceOf } from '../lib/source.ts'
import { keyRefused } from '../verify-key.ts'
import { errorAnswer } from './error-response.ts'
import type { RateLimits } from './rate-limit.ts'
import { addRateLimit, limitsAfter, NO_LIMITS } from './rate-limit-headers.ts'

interface Parts {
  /** The headers of all responses: names and values in turn. */
  ofAll: readonly string[]
  limits: RateLimits | undefined
  now: Clock
  recordRequest: RecordRequest
}

interface Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  readonly address: string
  readonly startedAt: number
}

/**
 * Refuses a malformed key: nothing has to be looked up or waited for, so this costs little more than the response. It is
 * the same as on the way of all other requests. Returns whether it was refused; if not, the request goes that way.
 */
export function createMalformedKeyRefusal({ ofAll, limits, now, recordRequest }: Parts) {
  function send({ request, response, requestId, address: ip, startedAt }: Call, error: AppError): void {
    const answered = errorAnswer(error, requestId, graphqlType(request.headers.accept))
    const shown = error.details.limit === undefined ? NO_LIMITS : limitsAfter(error, NO_LIMITS, now())
    sendAnswer(response, answered, addRateLimit([...ofAll, REQUEST_ID, requestId], shown, now))
    const ms = performance.now() - startedAt
    recordRequest({ requestId, method: request.method ?? '', route: '/graphql', status: answered.status, ms, ip })
  }

  return function refuseMalformed(call: Call): boolean {
    const { request, address } = call
    if (!hasMalformedKey(request)) return false
    const error = limits ? limits.refusalsSpent(sourceOf(address)) : keyRefused('invalid')
    if (!error) return false // it has to be counted, which may take time
    discardBufferedBody(request)
    const others = yieldToOthers(() => sourceOf(address)) // a thousand refusals at once are not written in one go
    if (others === undefined) send(call, error)
    else void others.then(() => send(call, error))
    return true
  }
}

/** For the path as most clients write it, and no preflight. */
function hasMalformedKey({ url = '', method, headers: { 'api-secret': secret } }: IncomingMessage): boolean {
  if (typeof secret !== 'string' || secret === '' || isWellFormed('emp_', secret)) return false
  return method !== 'OPTIONS' && (url === '/graphql' || url.startsWith('/graphql?'))
}
