import cookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { UserCaller } from '../../caller/ctx.ts'
import type { Deps } from '../../caller/deps.ts'
import { MAX_BODY_BYTES } from '../../graphql/operation-limits.ts'
import { readJsonText } from '../../http/body.ts'
import type { BulkOf } from '../../http/bulk-body.ts'
import { sendGraphqlError, sendReply, toAppError } from '../../http/error-response.ts'
import type { RecordRefusedOperation } from '../../http/refusal-log.ts'
import { writeLastSeen } from '../../identity/session.ts'
import { lookUpSession } from '../../identity/session-lookup.ts'
import { AppError } from '../../lib/app-error.ts'
import { MINUTE } from '../../lib/clock.ts'
import { waitForTurn } from '../../lib/event-loop.ts'
import { createLastSeenBuffer } from '../../lib/last-seen-buffer.ts'
import type { Graphql } from '../graphql/answer.ts'
import { createRequestContext } from '../graphql/answer.ts'
import { addRateLimit, limitsAfter, type RateLimits, type ShownLimits } from '../rate-limit.ts'
import { requireSameSite } from './same-site.ts'
import { sessionCookieName } from './session-cookie.ts'

const SEEN_AGAIN_AFTER_MS = MINUTE

interface Parts {
  answer: Graphql['answer']
  limits: RateLimits
  recordRefusedOperation: RecordRefusedOperation
  bulkOf: BulkOf
}

/** Whoever is not signed in sends no large body. */
function nobody(error: unknown): undefined {
  if (error instanceof AppError && error.code !== 'UNAVAILABLE') return undefined
  throw error
}

/**
 * `/portal/graphql`: a signed-in person, in the organization that `portal-organization` names or else the personal
 * account.
 */
export function portalRoute(deps: Deps, { answer, limits, recordRefusedOperation, bulkOf }: Parts) {
  const { config, database, now, log } = deps
  const contextOf = createRequestContext(deps)
  const lastSeen = createLastSeenBuffer((batch) => writeLastSeen(database, batch), log)
  const cookieName = sessionCookieName(config)

  async function findCaller(request: FastifyRequest): Promise<UserCaller> {
    const token = request.cookies[cookieName]
    const slug = request.headers['portal-organization']
    const found = await lookUpSession(database, token ?? '', typeof slug === 'string' ? slug : undefined)
    if (found.outcome === 'invalid') throw new AppError('UNAUTHENTICATED', { message: 'Sign in first.' })
    if (found.outcome === 'no-such-organization') throw new AppError('NOT_FOUND')
    if (now() - found.lastSeenAt > SEEN_AGAIN_AFTER_MS) {
      lastSeen.note(found.caller.sessionId, { at: now(), from: request.ip })
    }
    return found.caller
  }

  /** A body that may be large is read for an Admin only. */
  async function readBody(request: FastifyRequest): Promise<string | null> {
    const length = request.headers['content-length']
    const caller =
      length === undefined || Number(length) > MAX_BODY_BYTES ? await findCaller(request).catch(nobody) : undefined
    const bulk = caller?.role === 'ADMIN' ? bulkOf(caller.organizationId) : undefined
    return readJsonText(request.raw, MAX_BODY_BYTES, bulk)
  }

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    requireSameSite(request, config)
    if (request.method !== 'POST') throw new AppError('BAD_REQUEST', { status: 405, message: 'Use POST.' })
    let caller = await findCaller(request)
    const shown: ShownLimits = { policies: limits.policies }
    const charge = await limits.countRequest(caller, shown)
    const turn = waitForTurn(() => caller.organizationId)
    if (turn !== undefined) {
      await turn
      caller = await findCaller(request) // the session may have ended in the meantime
    }
    const { method, url, headers, body } = request
    const text = typeof body === 'string' ? body : null
    const ctx = contextOf({
      caller,
      requestId: request.id,
      address: request.ip,
      socket: request.raw.socket,
      rateLimit: shown.rateLimit,
      charge,
    })
    const answered = await answer({ method, url, headers, body: text }, ctx)
    if (ctx.refusals) recordRefusedOperation({ ...ctx, address: request.ip, codes: ctx.refusals })
    return sendReply(withLimits(reply, { ...shown, rateLimit: ctx.rateLimit }), answered)
  }

  /** What the response says about limits; of a refusal by one of them too. */
  function withLimits(reply: FastifyReply, shown: ShownLimits, refusal?: AppError): FastifyReply {
    const fields = addRateLimit([], refusal ? limitsAfter(refusal, shown, now()) : shown, now)
    for (let at = 0; at < fields.length; at += 2) reply.header(fields[at] ?? '', fields[at + 1])
    return reply
  }

  return async (app: FastifyInstance): Promise<void> => {
    app.removeAllContentTypeParsers() // bodies are texts: the GraphQL handler parses them, and reports invalid JSON
    app.addContentTypeParser('application/json', readBody)
    app.addContentTypeParser('*', (_request, _payload, done) => done(null, null))
    app.setErrorHandler((error, _request, reply) => {
      const refusal = toAppError(error, log)
      const isLimited = refusal.code === 'RATE_LIMITED'
      return sendGraphqlError(isLimited ? withLimits(reply, { policies: limits.policies }, refusal) : reply, refusal)
    })
    await app.register(cookie)
    app.addHook('onClose', () => lastSeen.close())
    app.all('/portal/graphql', handle)
  }
}
