import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { type KeyLookup, lookUpKey, type Outgoing } from '../api-keys/lookup.ts'
import { createRefusedKeys, type RefusedKey } from '../api-keys/refused-keys.ts'
import { createUsageCounter, type KeyUse } from '../api-keys/usage-counter.ts'
import { writeUsage } from '../api-keys/usage-write.ts'
import type { ApiKeyCaller } from '../ctx.ts'
import type { Deps } from '../deps.ts'
import type { RateLimitState, RequestCtx } from '../graphql/builder.ts'
import { MAX_BODY_BYTES } from '../graphql/limits.ts'
import type { NoteAnswer } from '../http/answered.ts'
import { comesWhole, type HttpAnswer, readJsonText, sendAnswer } from '../http/exchange.ts'
import { goneFrom } from '../http/gone.ts'
import { headersOfAll } from '../http/headers.ts'
import type { NoteRefused } from '../http/refusal-log.ts'
import { createSenderOf } from '../http/sender.ts'
import { refusalBy } from '../key-rules.ts'
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
  noteRefused: NoteRefused
}

type Accepted = Extract<KeyLookup, { outcome: 'accepted' }>

/**
 * `/graphql`: who holds an active key is an Admin of its organization (A2, A3). No cookie is ever read here. It stands on
 * node:http itself: see docs/decisions/0010.
 */
export function createKeyDoor(deps: Deps, parts: Parts): KeyDoor {
  const { config, database, now, log, usageFlushMs } = deps
  const { answer, limits, newRequestId, noteAnswer, noteRefused } = parts
  const usage = createUsageCounter((uses, options) => writeUsage(database, uses, options), log, usageFlushMs)
  const refusedKeys = createRefusedKeys(deps)
  const senderOf = createSenderOf(config)
  const headers = headersOfAll(config)

  /** Asks who is calling, and whether the key is accepted from there. */
  async function authenticate({ headers }: IncomingMessage, address: string): Promise<Accepted> {
    const secret = headers['api-secret']
    if (typeof secret !== 'string' || secret === '') throw missingKey(headers)
    const calledFrom = { address, origin: headers.origin }
    const found = await lookUpKey(database, secret, calledFrom)
    if (found.outcome !== 'accepted') {
      const failure = new Failure(found.outcome === 'expired' ? 'API_KEY_EXPIRED' : 'API_KEY_INVALID')
      if (found.outcome === 'expired') noteRefusal(found, failure, address)
      await limits?.countRefusal(sourceOf(address))
      throw failure
    }
    const refusal = refusalBy(found.rules, calledFrom)
    if (!refusal) return found
    noteRefusal(found.caller, refusal, address)
    throw refusal
  }

  function noteRefusal(key: RefusedKey, why: Failure, address: string): void {
    usage.noteRefusal(key.keyId, now())
    refusedKeys.note(key, why, sourceOf(address))
  }

  async function countRequest({ keyId, organizationId }: ApiKeyCaller): Promise<RateLimitState | undefined> {
    try {
      return await limits?.countRequest(keyId, organizationId)
    } catch (error) {
      usage.noteRefusal(keyId, now())
      throw error
    }
  }

  function noteCall({ caller: { keyId }, firstUse }: Accepted, { headers }: IncomingMessage, address: string): KeyUse {
    const use = usage.noteCall(keyId, now(), address, headers['user-agent'])
    if (firstUse && use.calls === 1) void usage.flush() // those that come before it is written need no other
    return use
  }

  /**
   * The key is asked for before the body is read: whoever has none costs next to nothing. A body that comes later is waited for
   * without holding anything, and then the key is asked for again: it may have been revoked or narrowed meanwhile (C12).
   */
  async function respond(request: IncomingMessage, requestId: string, address: string): Promise<HttpAnswer> {
    try {
      const cameWhole = comesWhole(request)
      let accepted = await authenticate(request, address)
      const rateLimit = await countRequest(accepted.caller)
      const body = await readJsonText(request, MAX_BODY_BYTES)
      if (body !== null && !(await cameWhole)) accepted = await authenticate(request, address)
      const use = noteCall(accepted, request, address)
      const { method = '', url = '', headers } = request
      const ctx: RequestCtx = {
        caller: accepted.caller,
        rateLimit,
        charge: limits && ((points) => limits.charge(accepted.caller.keyId, accepted.caller.organizationId, points)),
        db: database.read,
        database,
        now,
        isGone: goneFrom(request.socket),
        requestId,
        place: config,
        cost: 0,
        operation: undefined,
      }
      const answered = await answer({ method, url, headers, body }, ctx)
      if (ctx.refusals) noteRefused({ ...ctx, codes: ctx.refusals })
      if (ctx.operation !== undefined) usage.noteOperation(use, ctx.operation)
      return accepted.outgoing ? sayFarewell(answered, accepted.outgoing) : answered
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
      sendAnswer(response, answered, headers)
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
    async close() {
      await Promise.all([usage.close(), refusedKeys.close()])
    },
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
