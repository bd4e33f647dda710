import type { IncomingMessage, ServerResponse } from 'node:http'
import { createCanaryWatch } from '../../api-keys/canary/watch.ts'
import type { Refusals } from '../../audit/refusals.ts'
import type { Deps } from '../../caller/deps.ts'
import type { RequestCtx } from '../../graphql/builder.ts'
import { MAX_BODY_BYTES } from '../../graphql/operation-limits.ts'
import type { RecordRequest } from '../../http/access-log.ts'
import { discardRest, type HttpCall, isBodyBuffered, readJsonText } from '../../http/body.ts'
import type { BulkOf } from '../../http/bulk-body.ts'
import type { Cors } from '../../http/cors.ts'
import { headersOfAll, REQUEST_ID } from '../../http/headers.ts'
import type { RecordRefusedOperation } from '../../http/refusal-log.ts'
import { type HttpAnswer, sendAnswer } from '../../http/send-answer.ts'
import type { ClientAddress } from '../../lib/client-address.ts'
import { waitForTurn } from '../../lib/event-loop.ts'
import { addRateLimit, type RateLimits } from '../rate-limit.ts'
import { createRequestContext } from './answer.ts'
import { createAuthentication } from './authenticate.ts'
import type { ApiCall } from './call.ts'
import { addSunsetHeaders } from './key-headers.ts'
import { createRecord } from './record.ts'
import { createRefusal } from './refusal.ts'

type Answer = (call: HttpCall, ctx: RequestCtx) => Promise<HttpAnswer>

/** They take their steps side by side, so of more all would ask for their turn before the first has used any time. */
const MAX_TOGETHER = 32

interface Parts {
  /** What answers at each path once the key is accepted. */
  endpoints: Record<ApiCall['endpoint'], Answer>
  addressOf: ClientAddress
  limits: RateLimits
  newRequestId: () => string
  cors: Cors | undefined
  recordRequest: RecordRequest
  recordRefusedOperation: RecordRefusedOperation
  bulkOf: BulkOf
  refusals: Refusals
}

/**
 * `/graphql` and `/mcp`: a valid key is an Admin of its organization (A2, A3). No cookie is ever read here. It runs on
 * node:http itself: see docs/decisions/0010.
 */
export function createApiRoute(deps: Deps, parts: Parts) {
  const { config, database, now } = deps
  const { endpoints, addressOf, limits, newRequestId, cors, recordRefusedOperation, bulkOf, refusals } = parts
  const { usage, record, close: closeRecord } = createRecord(deps, parts.recordRequest)
  const canaries = createCanaryWatch(deps)
  const authenticate = createAuthentication({ database, now, limits, usage, canaries, refusals })
  const contextOf = createRequestContext(deps)
  const refuse = createRefusal(deps)
  const headersOfEvery = Object.entries(headersOfAll(config)).flat()

  /**
   * The key is looked up before the body is read, so that a request without a valid key costs almost nothing; and again
   * after a wait, for the body or for its turn: it may have been revoked or restricted in the meantime (C12).
   */
  async function answer(call: ApiCall): Promise<HttpAnswer> {
    const { request, requestId, address, endpoint } = call
    const preflight = cors?.preflight(request)
    if (preflight) return preflight
    const isWhole = isBodyBuffered(request)
    let key = await authenticate(call)
    const charge = await limits.countRequest(key.caller, call)
    const { organizationId, rules } = key.caller
    const mayBeLarge = endpoint === '/graphql' && rules.access !== 'READ_ONLY' // for lists of inputs
    const body = await readJsonText(request, MAX_BODY_BYTES, mayBeLarge ? bulkOf(organizationId) : undefined)
    const turn = waitForTurn(() => organizationId)
    if (turn !== undefined) await turn
    if (turn !== undefined || (body !== null && !isWhole)) key = await authenticate(call)
    const { caller, rotated } = key
    const ctx = contextOf({ caller, requestId, address, socket: request.socket, rateLimit: call.rateLimit, charge })
    const { method = '', url = '', headers } = request
    try {
      const answered = await endpoints[endpoint]({ method, url, headers, body }, ctx)
      return rotated ? addSunsetHeaders(answered, rotated) : answered
    } finally {
      const { refusals: codes, operation, accessedFields: fields, rateLimit } = ctx
      if (codes) recordRefusedOperation({ ...ctx, address, codes })
      Object.assign(call, { operation, fields, rateLimit, codes })
    }
  }

  async function serve(call: ApiCall): Promise<void> {
    const answered = await answer(call).catch((error: unknown) => refuse(call, error))
    if (!call.request.complete) discardRest(call.request)
    sendAnswer(call.response, answered, addRateLimit([...headersOfEvery, REQUEST_ID, call.requestId], call, now))
    record(call, answered.status)
  }

  /** Calls of this iteration of the event loop: served together, they cost less. */
  let arriving: ApiCall[] = []

  function arrive(call: ApiCall): void {
    arriving.push(call)
    const together = arriving
    if (together.length === MAX_TOGETHER) arriving = []
    if (together.length > 1) return
    setImmediate(() => {
      if (arriving === together) arriving = []
      for (const each of together) void serve(each) // with what came of their bodies together with their heads
    })
  }

  return {
    handle(request: IncomingMessage, response: ServerResponse, endpoint: ApiCall['endpoint']): void {
      const [requestId, address, startedAt] = [newRequestId(), addressOf(request), performance.now()]
      arrive({ request, response, endpoint, startedAt, requestId, address })
    },
    /** After the last call: writes the collected counts. */
    async close(): Promise<void> {
      await Promise.all([closeRecord(), canaries.close()])
    },
  }
}
