import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { writeLastUsed } from '../api-keys/last-used.ts'
import { lookUpKey } from '../api-keys/lookup.ts'
import type { ApiKeyCaller } from '../ctx.ts'
import type { Deps } from '../deps.ts'
import type { RateLimitState } from '../graphql/builder.ts'
import { MAX_BODY_BYTES } from '../graphql/limits.ts'
import type { NoteAnswer } from '../http/answered.ts'
import { type HttpAnswer, readJsonText, sendAnswer } from '../http/exchange.ts'
import { createSenderOf } from '../http/sender.ts'
import { Failure } from '../lib/failure.ts'
import { createSightings } from '../lib/sightings.ts'
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
}

/**
 * `/graphql`: who holds an active key is an Admin of its organization (A2, A3). No cookie is ever read here. It stands on
 * node:http itself: see docs/decisions/0010.
 */
export function createKeyDoor({ config, database, now, log }: Deps, parts: Parts): KeyDoor {
  const { answer, limits, newRequestId, noteAnswer } = parts
  const lastUsed = createSightings((sightings) => writeLastUsed(database, sightings), log)
  const senderOf = createSenderOf(config)

  /** Before the body is read: whoever has no key costs next to nothing. */
  async function authenticate({ headers }: IncomingMessage, address: string): Promise<Entrance> {
    const secret = headers['api-secret']
    if (typeof secret !== 'string' || secret === '') throw missingKey(headers)
    const found = await lookUpKey(database, secret)
    if (found.outcome !== 'accepted') {
      await limits?.countRefusal(sourceOf(address))
      throw new Failure(found.outcome === 'expired' ? 'API_KEY_EXPIRED' : 'API_KEY_INVALID')
    }
    const rateLimit = await limits?.countRequest(found.caller.keyId)
    lastUsed.note(found.caller.keyId, { at: now(), from: address })
    if (found.firstUse) void lastUsed.flush()
    return { caller: found.caller, rateLimit }
  }

  async function respond(request: IncomingMessage, requestId: string, address: string): Promise<HttpAnswer> {
    try {
      const { caller, rateLimit } = await authenticate(request, address)
      const { method = '', url = '', headers } = request
      const call = { method, url, headers, body: await readJsonText(request, MAX_BODY_BYTES) }
      const baseUrl = config.baseUrl?.origin ?? senderOf.origin(request)
      return await answer(call, { caller, rateLimit, db: database.read, database, now, requestId, baseUrl, cost: 0 })
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
    close: () => lastUsed.close(),
  }
}

function missingKey(headers: IncomingHttpHeaders): Failure {
  const elsewhere =
    headers.authorization !== undefined ? 'Authorization' : 'x-api-key' in headers ? 'x-api-key' : undefined
  if (!elsewhere) return new Failure('UNAUTHENTICATED')
  return new Failure('UNAUTHENTICATED', { says: `Send the API key in the api-secret header, not in ${elsewhere}.` })
}
