import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { lookUpKey, type Outgoing } from '../api-keys/lookup.ts'
import { refusalBy } from '../api-keys/rules.ts'
import { createUsageCounter, type KeyUse } from '../api-keys/usage-counter.ts'
import { writeUsage } from '../api-keys/usage-write.ts'
import type { ApiKeyCaller } from '../ctx.ts'
import type { Deps } from '../deps.ts'
import type { RateLimitState, RequestCtx } from '../graphql/builder.ts'
import { MAX_BODY_BYTES } from '../graphql/limits.ts'
import type { NoteAnswer } from '../http/answered.ts'
import { type HttpAnswer, readJsonText, sendAnswer } from '../http/exchange.ts'
import { createSenderOf } from '../http/sender.ts'
import { SECOND } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import { sourceOf } from '../lib/source.ts'
import type { createGraphqlHandler } from './graphql-handler.ts'
import type { RateLimits } from './rate-limit.ts'
import { failureAnswer, toFailure } from './refusal.ts'

interface KeyDoor {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** When the last call is answered: writes down what is gathered. */
  close(): Promise<void>
}

interface Parts {
  answer: ReturnType<typeof createGraphqlHandler>
  limits: RateLimits | undefined
  newRequestId: () => string
  noteAnswer: NoteAnswer
}

interface Entrance {
  caller: ApiKeyCaller
  rateLimit: RateLimitState | undefined
  outgoing: Outgoing | undefined
  use: KeyUse
}

/**
 * `/graphql`: who holds an active key is an Admin of its organization (A2, A3). No cookie is ever read here. It stands on
 * node:http itself: see docs/decisions/0010.
 */
export function createKeyDoor({ config, database, now, log, usageFlushMs }: Deps, parts: Parts): KeyDoor {
  const { answer, limits, newRequestId, noteAnswer } = parts
  const usage = createUsageCounter((uses, options) => writeUsage(database, uses, options), log, usageFlushMs)
  const senderOf = createSenderOf(config)

  /** Before the body is read: whoever has no key costs next to nothing. */
  async function authenticate({ headers }: IncomingMessage, address: string): Promise<Entrance> {
    const secret = headers['api-secret']
    if (typeof secret !== 'string' || secret === '') throw missingKey(headers)
    const found = await lookUpKey(database, secret)
    if (found.outcome !== 'accepted') {
      if (found.outcome === 'expired') usage.noteRefusal(found.keyId, now())
      await limits?.countRefusal(sourceOf(address))
      throw new Failure(found.outcome === 'expired' ? 'API_KEY_EXPIRED' : 'API_KEY_INVALID')
    }
    const { caller, rules, outgoing, firstUse } = found
    try {
      const refusal = refusalBy(rules, { address, origin: headers.origin })
      if (refusal) throw refusal
      const rateLimit = await limits?.countRequest(caller.keyId)
      const use = usage.noteCall(caller.keyId, now(), address, headers['user-agent'])
      if (firstUse && use.calls === 1) void usage.flush() // those that come before it is written need no other
      return { caller, rateLimit, outgoing, use }
    } catch (error) {
      usage.noteRefusal(caller.keyId, now())
      throw error
    }
  }

  async function respond(request: IncomingMessage, requestId: string, address: string): Promise<HttpAnswer> {
    try {
      const { caller, rateLimit, outgoing, use } = await authenticate(request, address)
      const { method = '', url = '', headers } = request
      const call = { method, url, headers, body: await readJsonText(request, MAX_BODY_BYTES) }
      const ctx: RequestCtx = {
        caller,
        rateLimit,
        db: database.read,
        database,
        now,
        requestId,
        place: config,
        cost: 0,
        operation: undefined,
      }
      const answered = await answer(call, ctx)
      if (ctx.operation !== undefined) usage.noteOperation(use, ctx.operation)
      return outgoing ? sayFarewell(answered, outgoing) : answered
    } catch (error) {
      return failureAnswer(toFailure(error, log), requestId)
    }
  }

  return {
    async handle(request, response) {
      const startedAt = performance.now()
      const requestId = newRequestId()
      const ip = senderOf.address(request)
      const answered = await respond(request, requestId, ip)
      sendAnswer(response, answered)
      const { method = '' } = request
      noteAnswer({
        requestId,
        method,
        route: '/graphql',
        status: answered.status,
        ms: performance.now() - startedAt,
        ip,
      })
    },
    close: () => usage.close(),
  }
}

/** Tells whoever still uses a key that has been replaced: since when it is, and when it ends (RFC 9745, RFC 8594). */
const sayFarewell = (answered: HttpAnswer, { since, until }: Outgoing): HttpAnswer => ({
  ...answered,
  headers: {
    ...answered.headers,
    deprecation: `@${Math.floor(since / SECOND)}`,
    sunset: new Date(until).toUTCString(),
  },
})

function missingKey(headers: IncomingHttpHeaders): Failure {
  const elsewhere =
    headers.authorization !== undefined ? 'Authorization' : 'x-api-key' in headers ? 'x-api-key' : undefined
  if (!elsewhere) return new Failure('UNAUTHENTICATED')
  return new Failure('UNAUTHENTICATED', { says: `Send the API key in the api-secret header, not in ${elsewhere}.` })
}
