import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { writeLastUsed } from '../api-keys/last-used.ts'
import { lookUpKey } from '../api-keys/lookup.ts'
import type { ApiKeyCaller } from '../ctx.ts'
import type { Deps } from '../deps.ts'
import type { RateLimitState } from '../graphql/builder.ts'
import { Failure } from '../lib/failure.ts'
import { createSightings } from '../lib/sightings.ts'
import { sourceOf } from '../lib/source.ts'
import { baseUrlOf } from './base-url.ts'
import type { createGraphqlHandler } from './graphql-handler.ts'
import type { RateLimits } from './rate-limit.ts'
import { acceptTextBodies } from './text-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** By which key a request came in, once its key was looked up. */
    entrance: Entrance | undefined
  }
}

interface Entrance {
  caller: ApiKeyCaller
  rateLimit: RateLimitState | undefined
}

/** `/graphql`: who holds an active key is an Admin of its organization (A2, A3). No cookie is ever read here. */
export function keyDoor(
  { config, database, now, log }: Deps,
  answer: ReturnType<typeof createGraphqlHandler>,
  limits: RateLimits | undefined,
) {
  const lastUsed = createSightings((sightings) => writeLastUsed(database, sightings), log)

  /** Before the body is read: whoever has no key costs next to nothing. */
  async function authenticate(request: FastifyRequest): Promise<void> {
    const secret = request.headers['api-secret']
    if (typeof secret !== 'string' || secret === '') throw missingKey(request)
    const found = await lookUpKey(database, secret)
    if (found.outcome !== 'accepted') {
      await limits?.countRefusal(sourceOf(request.ip))
      throw new Failure(found.outcome === 'expired' ? 'API_KEY_EXPIRED' : 'API_KEY_INVALID')
    }
    const rateLimit = await limits?.countRequest(found.caller.keyId)
    lastUsed.note(found.caller.keyId, { at: now(), from: request.ip })
    if (found.firstUse) void lastUsed.flush()
    request.entrance = { caller: found.caller, rateLimit }
  }

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { entrance } = request
    if (!entrance) throw new Error('A request came in without a key.')
    return answer(request, reply, {
      ...entrance,
      db: database.read,
      database,
      now,
      requestId: request.id,
      baseUrl: baseUrlOf(request, config),
      cost: 0,
    })
  }

  return async (app: FastifyInstance): Promise<void> => {
    acceptTextBodies(app)
    app.decorateRequest('entrance', undefined)
    app.addHook('onRequest', authenticate)
    app.addHook('onClose', () => lastUsed.close())
    app.all('/graphql', handle)
  }
}

function missingKey({ headers }: FastifyRequest): Failure {
  const elsewhere =
    headers.authorization !== undefined ? 'Authorization' : 'x-api-key' in headers ? 'x-api-key' : undefined
  if (!elsewhere) return new Failure('UNAUTHENTICATED')
  return new Failure('UNAUTHENTICATED', { says: `Send the API key in the api-secret header, not in ${elsewhere}.` })
}
