import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createCallLog } from '../api-keys/calls/call-log.ts'
import { writeCalls } from '../api-keys/calls/write.ts'
import { createCanaryWatch } from '../api-keys/canary/watch.ts'
import { createUsageCounter, type KeyUse } from '../api-keys/usage/counter.ts'
import { writeUsage } from '../api-keys/usage/write.ts'
import type { Refusals } from '../audit/refusals.ts'
import type { Deps } from '../deps.ts'
import type { RequestCtx } from '../graphql/builder.ts'
import { MAX_BODY_BYTES } from '../graphql/limits.ts'
import type { RecordRequest } from '../http/access-log.ts'
import { createClientAddress } from '../http/client-address.ts'
import type { Cors } from '../http/cors.ts'
import { disconnectCheck } from '../http/disconnected.ts'
import { headersOfAll, REQUEST_ID } from '../http/headers.ts'
import { type HttpAnswer, isBodyBuffered, readJsonText, sendAnswer, takeJsonText } from '../http/http-io.ts'
import { graphqlType } from '../http/media-type.ts'
import type { RecordRefusal } from '../http/refusal-log.ts'
import { includesField } from '../key-access.ts'
import { yieldToOthers } from '../lib/event-loop.ts'
import { hashSecret } from '../lib/secret.ts'
import { plainAddress, sourceOf } from '../lib/source.ts'
import { type AcceptedKey, type ApiKeyCaller, keyRefused, type RefusedKey, verifyKey } from '../verify-key.ts'
import { errorAnswer, prepareAnswer, toAppError } from './error-response.ts'
import type { createGraphqlHandler } from './graphql-handler.ts'
import { addSunsetHeaders, misplacedSecret, missingKey } from './key-headers.ts'
import { type KeyLimits, keyPolicies, tighter } from './key-limits.ts'
import type { createMcpAnswer } from './mcp/handler.ts'
import { jsonRpcError } from './mcp/json-rpc.ts'
import type { RateLimits } from './rate-limit.ts'
import { addRateLimit, limitsAfter, type ShownLimits } from './rate-limit-headers.ts'

interface ApiRoute {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** After the last call: writes the collected counts. */
  close(): Promise<void>
}

/** What is known of a call so far, for the log of its key and the headers of its response. */
interface Trace extends ShownLimits {
  /** Undefined: there is no such key. */
  keyId: string | undefined
  isAccepted: boolean
  operation: string | undefined
  code: string | undefined
}

interface Parts {
  answer: ReturnType<typeof createGraphqlHandler>
  answerMcp: ReturnType<typeof createMcpAnswer>
  limits: RateLimits | undefined
  keyLimits: KeyLimits
  newRequestId: () => string
  cors: Cors | undefined
  recordRequest: RecordRequest
  recordRefusal: RecordRefusal
  refusals: Refusals
}

/**
 * `/graphql` and `/mcp`: a valid key is an Admin of its organization (A2, A3). No cookie is ever read here. It runs on
 * node:http itself: see docs/decisions/0010.
 */
export function createApiRoute(deps: Deps, parts: Parts): ApiRoute {
  const { config, database, now, log, usageFlushMs } = deps
  const { answer, answerMcp, limits, keyLimits, newRequestId, cors, recordRequest, recordRefusal, refusals } = parts
  const calls = createCallLog((entries) => writeCalls(database, entries), log, now)
  const usage = createUsageCounter(
    (uses, options) => writeUsage(database, uses, options),
    log,
    usageFlushMs,
    calls.flush,
  )
  const canaries = createCanaryWatch(deps)
  const clientAddress = createClientAddress(config)
  const ofAll = Object.entries(headersOfAll(config)).flat()
  prepareAnswer(keyRefused('invalid'))
  prepareAnswer(keyRefused('expired'))

  /** Returns the key of the request if it is accepted; throws otherwise. */
  async function authenticate({ headers }: IncomingMessage, address: string, trace: Trace): Promise<AcceptedKey> {
    const secret = headers['api-secret']
    if (typeof secret !== 'string' || secret === '') {
      await noteMisplaced(headers, address)
      throw missingKey(headers)
    }
    const verdict = await verifyKey(database, secret, { address, origin: headers.origin })
    if (verdict.outcome === 'accepted') {
      trace.keyId = verdict.caller.keyId
      return verdict
    }
    if (verdict.outcome !== 'invalid') {
      trace.keyId = verdict.keyId
      noteRefusal(verdict, headers, address)
    } else if (verdict.secretHash) noteUnknown(verdict.secretHash, headers, address)
    if (verdict.outcome === 'invalid' || verdict.outcome === 'expired') await limits?.countRefusal(sourceOf(address))
    throw verdict.outcome === 'invalid' ? keyRefused('invalid') : verdict.error
  }

  /** Whoever finds the secret of a canary key may try it in another header first. */
  async function noteMisplaced(headers: IncomingHttpHeaders, address: string): Promise<void> {
    const secret = misplacedSecret(headers)
    if (secret === undefined) return
    const isOverLimit = await limits?.countRefusal(sourceOf(address)).then(
      () => false,
      () => true,
    )
    if (!isOverLimit) noteUnknown(hashSecret(secret), headers, address)
  }

  const noteUnknown = (secretHash: Uint8Array, headers: IncomingHttpHeaders, address: string) =>
    canaries.note(secretHash, { at: now(), address, userAgent: headers['user-agent'] ?? '' })

  function noteRefusal(refused: RefusedKey, { 'user-agent': agent }: IncomingHttpHeaders, address: string): void {
    const { outcome, keyId, label, organizationId, pausedAt, error: why } = refused
    usage.noteRefusal(keyId, now())
    if (outcome === 'paused' && pausedAt !== null)
      usage.noteWhilePaused(keyId, now(), { pausedAt, from: address, agent })
    const [reason = ''] = why.message.split(/[.:]/)
    const actor = { kind: 'API_KEY', id: keyId, name: label } as const
    refusals.note({ actor, organizationId }, { code: why.code, reason, source: sourceOf(address), ip: address })
  }

  function policiesOf(caller: ApiKeyCaller): string {
    const own = keyPolicies(caller)
    if (own.length === 0) return limits?.policies ?? ''
    return (limits ? [limits.policies, ...own] : own).join(', ')
  }

  /** Of a request that is over a limit, the key is refused. */
  async function counted<State>({ keyId }: ApiKeyCaller, state: Promise<State>): Promise<State> {
    try {
      return await state
    } catch (error) {
      usage.noteRefusal(keyId, now())
      throw error
    }
  }

  function noteCall(
    { caller: { keyId }, firstUse }: AcceptedKey,
    { headers }: IncomingMessage,
    address: string,
  ): KeyUse {
    const use = usage.noteCall(keyId, now(), address, headers['user-agent'])
    if (firstUse && use.calls === 1) void usage.flush() // calls before this write need no write of their own
    return use
  }

  /**
   * Looks the key up before the body is read, so that a request without a valid key costs almost nothing. Waiting for a
   * body that comes later holds no resources. After a wait, for the body or for its turn, the key is looked up again: it
   * may have been revoked or restricted in the meantime (C12).
   */
  async function respond(
    request: IncomingMessage,
    requestId: string,
    address: string,
    trace: Trace,
  ): Promise<HttpAnswer> {
    try {
      const preflight = cors?.preflight(request)
      if (preflight) return preflight
      const cameWhole = isBodyBuffered(request)
      let accepted = await authenticate(request, address, trace)
      const { keyId, organizationId } = accepted.caller
      trace.policies = policiesOf(accepted.caller)
      const own = keyLimits.count(accepted.caller)
      const ownLimit = own && (await counted(accepted.caller, own)) // first: over it, nothing is taken from the others
      const general = limits && (await counted(accepted.caller, limits.countRequest(keyId, organizationId)))
      const body = cameWhole ? takeJsonText(request, MAX_BODY_BYTES) : await readJsonText(request, MAX_BODY_BYTES)
      const others = yieldToOthers(() => organizationId)
      if (others !== undefined) await others
      if (others !== undefined || (body !== null && !cameWhole)) accepted = await authenticate(request, address, trace)
      const use = noteCall(accepted, request, address)
      trace.isAccepted = true
      trace.rateLimit = tighter(ownLimit, general)
      const { method = '', url = '', headers } = request
      const ctx: RequestCtx = {
        caller: accepted.caller,
        rateLimit: trace.rateLimit,
        charge: limits && (async (points) => tighter(ownLimit, await limits.charge(keyId, organizationId, points))),
        db: database.readFor(organizationId),
        database,
        now,
        ip: address,
        isDisconnected: disconnectCheck(request.socket),
        requestId,
        originConfig: config,
        cost: 0,
        operation: undefined,
        accessedFields: undefined,
      }
      const answered = await (isMcp(url) ? answerMcp : answer)({ method, url, headers, body }, ctx)
      if (ctx.refusals) recordRefusal({ ...ctx, address, codes: ctx.refusals })
      if (ctx.refusals?.includes('FORBIDDEN')) {
        usage.noteForbidden(use)
        trace.isAccepted = false
      }
      trace.rateLimit = ctx.rateLimit
      trace.operation = ctx.operation
      trace.code = ctx.refusals?.[0]
      if (ctx.operation !== undefined)
        usage.noteOperation(use, ctx.operation, fieldsWithin(accepted.caller, ctx.accessedFields ?? []))
      return accepted.rotated ? addSunsetHeaders(answered, accepted.rotated) : answered
    } catch (error) {
      if (isBodyBuffered(request)) request.read() // cheaper than leaving it to node:http to discard
      const others = yieldToOthers(() => sourceOf(address)) // a thousand refusals at once are not written in one go
      if (others !== undefined) await others
      const shown = toAppError(error, log)
      trace.code = shown.code
      if (shown.details.limit !== undefined) Object.assign(trace, limitsAfter(shown, trace, now()))
      if (isMcp(request.url ?? '')) return jsonRpcError(shown, requestId)
      return errorAnswer(shown, requestId, graphqlType(request.headers.accept))
    }
  }

  return {
    async handle(request, response) {
      const startedAt = performance.now()
      const requestId = newRequestId()
      const ip = plainAddress(clientAddress.address(request))
      const trace = newTrace()
      const answered = await respond(request, requestId, ip, trace)
      sendAnswer(response, answered, addRateLimit([...ofAll, REQUEST_ID, requestId], trace, now))
      const { method = '', url = '' } = request
      const { status } = answered
      const route = isMcp(url) ? '/mcp' : '/graphql'
      const ms = performance.now() - startedAt
      if (trace.keyId !== undefined) {
        const { operation, code } = trace
        calls.note(trace.keyId, trace.isAccepted, { at: now(), operation, address: ip, status, ms, code })
      }
      recordRequest({ requestId, method, route, status, ms, ip })
    },
    async close() {
      await Promise.all([usage.close(), canaries.close()])
      await calls.flush({ all: true })
    },
  }
}

const newTrace = (): Trace => ({
  keyId: undefined,
  isAccepted: false,
  operation: undefined,
  code: undefined,
  policies: '',
  rateLimit: undefined,
})

/** Which of the two it is: the server passes no other path. */
const isMcp = (url: string) => url !== '/graphql' && /^(?:https?:\/\/[^/]*)?\/mcp\b/.test(url)

/** Without those that the access of the key refuses: it has not used them. */
const fieldsWithin = ({ rules: { access } }: ApiKeyCaller, fields: readonly string[]) =>
  access === 'ADMIN' ? fields : fields.filter((field) => includesField(access, field))
