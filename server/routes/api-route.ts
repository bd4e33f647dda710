import type { IncomingMessage, ServerResponse } from 'node:http'
import { createCallLog } from '../api-keys/calls/call-log.ts'
import { writeCalls } from '../api-keys/calls/write.ts'
import { createCanaryWatch } from '../api-keys/canary/watch.ts'
import { createUsageCounter, type KeyUse } from '../api-keys/usage/counter.ts'
import { writeUsage } from '../api-keys/usage/write.ts'
import type { Refusals } from '../audit/refusals.ts'
import type { Deps } from '../deps.ts'
import type { RateLimitState, RequestCtx } from '../graphql/builder.ts'
import { MAX_BODY_BYTES } from '../graphql/limits.ts'
import type { RecordRequest } from '../http/access-log.ts'
import type { BulkOf } from '../http/bulk-body.ts'
import { createClientAddress } from '../http/client-address.ts'
import type { Cors } from '../http/cors.ts'
import { disconnectCheck } from '../http/disconnected.ts'
import { headersOfAll, REQUEST_ID } from '../http/headers.ts'
import {
  discardBufferedBody,
  type HttpAnswer,
  isBodyBuffered,
  readJsonText,
  sendAnswer,
  takeJsonText,
} from '../http/http-io.ts'
import { graphqlType } from '../http/media-type.ts'
import type { RecordRefusal } from '../http/refusal-log.ts'
import { fieldsWithin } from '../key-access.ts'
import { AppError } from '../lib/app-error.ts'
import { yieldToOthers } from '../lib/event-loop.ts'
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import { plainAddress, sourceOf } from '../lib/source.ts'
import type { AcceptedKey, ApiKeyCaller } from '../verify-key.ts'
import { createArrivals } from './arrivals.ts'
import { errorAnswer, toAppError } from './error-response.ts'
import type { createGraphqlHandler } from './graphql-handler.ts'
import { createKeyAuthentication, type KeyRequest } from './key-authentication.ts'
import { addSunsetHeaders } from './key-headers.ts'
import { type KeyLimits, keyPolicies, tighter } from './key-limits.ts'
import { createMalformedKeyRefusal } from './malformed-key.ts'
import type { createMcpAnswer } from './mcp/handler.ts'
import { jsonRpcError } from './mcp/json-rpc.ts'
import type { RateLimits } from './rate-limit.ts'
import { addRateLimit, limitsAfter, type ShownLimits } from './rate-limit-headers.ts'

interface ApiRoute {
  handle(request: IncomingMessage, response: ServerResponse): void
  /** After the last call: writes the collected counts. */
  close(): Promise<void>
}

/** A request, and what is known of it so far: for the log of its key and the headers of its response. */
interface ApiCall extends KeyRequest, ShownLimits {
  readonly response: ServerResponse
  readonly startedAt: number
  readonly requestId: string
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
  bulkOf: BulkOf
  refusals: Refusals
}

/**
 * `/graphql` and `/mcp`: a valid key is an Admin of its organization (A2, A3). No cookie is ever read here. It runs on
 * node:http itself: see docs/decisions/0010.
 */
export function createApiRoute(deps: Deps, parts: Parts): ApiRoute {
  const { config, database, now, log, usageFlushMs } = deps
  const {
    answer: answerGraphql,
    answerMcp,
    limits,
    keyLimits,
    newRequestId,
    cors,
    recordRequest,
    recordRefusal,
    bulkOf,
    refusals,
  } = parts
  const calls = createCallLog((entries) => writeCalls(database, entries), log, now)
  const usage = createUsageCounter(
    (uses, options) => writeUsage(database, uses, options),
    log,
    usageFlushMs,
    calls.flush,
  )
  const canaries = createCanaryWatch(deps)
  const clientAddress = createClientAddress(config)
  const authenticate = createKeyAuthentication({ database, now, limits, usage, canaries, refusals })
  const ofAll = Object.entries(headersOfAll(config)).flat()
  const refuseMalformed = createMalformedKeyRefusal({ ofAll, limits, now, recordRequest })

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
   * may have been revoked or restricted in the meantime (C12). Where nothing has to be waited for, it is done when this
   * returns.
   */
  async function serve(call: ApiCall): Promise<void> {
    const { request } = call
    let answered: HttpAnswer | undefined
    let refusal: unknown
    try {
      answered = cors?.preflight(request)
      const cameWhole = isBodyBuffered(request)
      const first = answered ?? authenticate(call)
      let accepted = first instanceof Promise ? await first : first
      if ('caller' in accepted) {
        const { caller } = accepted
        call.policies = policiesOf(caller)
        const own = keyLimits.count(caller)
        const ownLimit = own && (await counted(caller, own)) // first: over it, nothing is taken from the others
        const general = limits && (await counted(caller, limits.countRequest(caller.keyId, caller.organizationId)))
        const body = cameWhole
          ? takeJsonText(request, MAX_BODY_BYTES)
          : await readJsonText(request, MAX_BODY_BYTES, bulk(request, caller))
        const others = yieldToOthers(() => caller.organizationId)
        if (others !== undefined) await others
        if (others !== undefined || (body !== null && !cameWhole)) accepted = await authenticate(call)
        if ('caller' in accepted) {
          call.rateLimit = tighter(ownLimit, general)
          const later = respond(call, accepted, body, ownLimit)
          answered = later instanceof Promise ? await later : later
        }
      }
      if (accepted instanceof AppError) refusal = accepted
    } catch (error) {
      refusal = error
    }
    if (refusal !== undefined) {
      discardBufferedBody(request)
      const others = yieldToOthers(() => sourceOf(call.address)) // a thousand refusals at once are not written in one go
      if (others !== undefined) await others
      answered = refusalAnswer(call, refusal)
    }
    if (answered !== undefined) send(call, answered)
  }

  /** A key that only reads sends no lists of inputs. */
  const bulk = ({ url = '' }: IncomingMessage, { organizationId, rules }: ApiKeyCaller) =>
    rules.access === 'READ_ONLY' || isMcp(url) ? undefined : bulkOf(organizationId)

  /** Answers a request whose key is accepted. */
  function respond(
    call: ApiCall,
    key: AcceptedKey,
    body: string | null,
    ownLimit: RateLimitState | undefined,
  ): MaybePromise<HttpAnswer> {
    const { request, address } = call
    const use = noteCall(key, request, address)
    call.isAccepted = true
    const ctx = contextOf(call, key, ownLimit)
    const { method = '', url = '', headers } = request
    const answer = isMcp(url) ? answerMcp : answerGraphql
    return andThen(answer({ method, url, headers, body }, ctx), (answered) => {
      noteAnswer(call, key, use, ctx)
      return key.rotated ? addSunsetHeaders(answered, key.rotated) : answered
    })
  }

  function contextOf(
    { request: { socket }, requestId, address, rateLimit }: ApiCall,
    { caller }: AcceptedKey,
    ownLimit: RateLimitState | undefined,
  ): RequestCtx {
    const { keyId, organizationId } = caller
    return {
      caller,
      rateLimit,
      charge: limits && (async (points) => tighter(ownLimit, await limits.charge(keyId, organizationId, points))),
      db: database.readFor(organizationId),
      database,
      now,
      ip: address,
      isDisconnected: disconnectCheck(socket),
      requestId,
      originConfig: config,
      cost: 0,
      operation: undefined,
      accessedFields: undefined,
    }
  }

  function noteAnswer(call: ApiCall, { caller }: AcceptedKey, use: KeyUse, ctx: RequestCtx): void {
    const { refusals: codes, operation } = ctx
    if (codes) recordRefusal({ ...ctx, address: call.address, codes })
    if (codes?.includes('FORBIDDEN')) {
      usage.noteForbidden(use)
      call.isAccepted = false
    }
    call.rateLimit = ctx.rateLimit
    call.operation = operation
    call.code = codes?.[0]
    if (operation !== undefined)
      usage.noteOperation(use, operation, fieldsWithin(caller.rules.access, ctx.accessedFields ?? []))
  }

  function refusalAnswer(call: ApiCall, error: unknown): HttpAnswer {
    const { request, requestId } = call
    const shown = toAppError(error, log)
    call.code = shown.code
    if (shown.details.limit !== undefined) Object.assign(call, limitsAfter(shown, call, now()))
    if (isMcp(request.url ?? '')) return jsonRpcError(shown, requestId)
    return errorAnswer(shown, requestId, graphqlType(request.headers.accept))
  }

  function send(call: ApiCall, answered: HttpAnswer): void {
    const { request, response, requestId, address: ip, keyId, operation, code } = call
    sendAnswer(response, answered, addRateLimit([...ofAll, REQUEST_ID, requestId], call, now))
    const { method = '', url = '' } = request
    const { status } = answered
    const route = isMcp(url) ? '/mcp' : '/graphql'
    const ms = performance.now() - call.startedAt
    if (keyId !== undefined) calls.note(keyId, call.isAccepted, { at: now(), operation, address: ip, status, ms, code })
    recordRequest({ requestId, method, route, status, ms, ip })
  }

  const arrived = createArrivals<ApiCall>((call) => {
    if (!refuseMalformed(call)) void serve(call)
  })

  return {
    handle(request, response) {
      const startedAt = performance.now()
      arrived({
        request,
        response,
        startedAt,
        requestId: newRequestId(),
        address: plainAddress(clientAddress.address(request)),
        keyId: undefined,
        isAccepted: false,
        operation: undefined,
        code: undefined,
        policies: '',
        rateLimit: undefined,
      })
    },
    async close() {
      await Promise.all([usage.close(), canaries.close()])
      await calls.flush({ all: true })
    },
  }
}

/** Which of the two it is: the server passes no other path. */
const isMcp = (url: string) => url !== '/graphql' && /^(?:https?:\/\/[^/]*)?\/mcp\b/.test(url)
