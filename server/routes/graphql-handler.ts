import { type ExecutionResult, type FormattedExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql'
import { createHandler, type Response } from 'graphql-http'
import type { Stored } from '../ctx.ts'
import { type Asked, askedBy } from '../graphql/asked.ts'
import type { RequestCtx } from '../graphql/builder.ts'
import { pointsForBody, pointsForCost, pointsForStored } from '../graphql/cost.ts'
import { InvalidDocument } from '../graphql/document.ts'
import { runOperation, shortMessage } from '../graphql/execute.ts'
import { MAX_BODY_BYTES } from '../graphql/limits.ts'
import type { Operation } from '../graphql/operation.ts'
import type { Variables } from '../graphql/page-arguments.ts'
import { requireBulk, requireFewValues } from '../graphql/variables.ts'
import { createCompression } from '../http/compression.ts'
import type { HttpAnswer, HttpCall } from '../http/http-io.ts'
import { acceptedType, graphqlType, JSON_TYPE } from '../http/media-type.ts'
import { createAskedRuns } from '../idempotency/run-asked.ts'
import { AppError, errorExtensions } from '../lib/app-error.ts'
import type { Encryption } from '../lib/encryption.ts'
import type { Log } from '../lib/log.ts'
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import { tooLarge } from '../lib/too-large.ts'
import { pointsForEvents } from '../webhooks/points.ts'
import { errorAnswer, protocolError, refuseBatch } from './error-response.ts'
import { type PlainCall, plainCall } from './plain-call.ts'
import { createDocuments } from './unknown-documents.ts'

const JSON_HEADERS = { 'content-type': JSON_TYPE }

/** In place of a body that need not be parsed twice: its outcome is known. */
const PARSED = '{"query":""}'

/** In place of an Accept header that names no type of a GraphQL answer: the library, which reads no weights, answers 406. */
const NOT_ACCEPTABLE = 'none'

/** An operation that may run, or why there is none. */
type Found = Ready | { error: unknown }

interface Ready {
  operation: Operation
  variables: Variables
  sent: PlainCall
}

type Call = { ctx: RequestCtx; headers: HttpCall['headers']; found: Found | undefined }

/** GraphQL over HTTP for both routes: they determine the caller, this does the rest. */
export function createGraphqlHandler(schema: GraphQLSchema, log: Log, emailEncryption?: Encryption) {
  const operationOf = createDocuments(schema, charge)
  const compressed = createCompression()
  const runAsked = createAskedRuns()

  /** Nothing is parsed, validated or run before it is charged: a caller without points is refused by the route. */
  function find(call: PlainCall, ctx: RequestCtx): MaybePromise<Found> {
    try {
      requireBulk(ctx.bodyBytes ?? 0, call.variables)
      if (call.variables) requireFewValues(call.variables)
      const operation = operationOf(call, ctx)
      const found =
        operation instanceof Promise ? operation.then((known) => ready(known, call, ctx)) : ready(operation, call, ctx)
      return found instanceof Promise ? found.catch(notFound) : found
    } catch (error) {
      return notFound(error)
    }
  }

  function ready(operation: Operation, sent: PlainCall, ctx: RequestCtx): MaybePromise<Found> {
    const variables = sent.variables ?? NO_VARIABLES
    ctx.operation = operation.title
    ctx.accessedFields = operation.accessedFields
    ctx.cost = operation.costWith(variables)
    const points = pointsForCost(ctx.cost) - (ctx.bodyPoints ?? 0) // a long list of inputs is both, and paid once
    const found = { operation, variables, sent }
    return points > 0 ? charge(ctx, points).then(() => found) : found
  }

  function run({ operation, variables, sent }: Ready, headers: HttpCall['headers'], ctx: RequestCtx) {
    const asked = askedBy(headers, sent.extensions)
    if (operation.node.operation === 'mutation') return runMutation({ operation, variables, sent }, asked, ctx)
    if (!asked) return runOperation(operation, ctx, variables, log)
    return runAsked({ operation, variables, sent, ctx, log }, asked)
  }

  async function runMutation({ operation, variables, sent }: Ready, asked: Asked | undefined, ctx: RequestCtx) {
    const stored: Stored = { bytes: 0, events: 0, eventBytes: 0 }
    ctx.noteStored = ({ bytes, events, eventBytes }) => {
      stored.bytes += bytes
      stored.events += events
      stored.eventBytes += eventBytes
    }
    try {
      if (!asked) return await runOperation(operation, ctx, variables, log)
      return await runAsked({ operation, variables, sent, ctx, log }, asked)
    } finally {
      if (ctx.charge && !asked?.dryRun) await chargeForStored(ctx, stored)
    }
  }

  const handle = createHandler<undefined, Call, Call>({
    async onSubscribe({ context: call }, params) {
      call.found ??= await find(params, call.ctx)
      if ('error' in call.found) {
        const refused = refusedDocument(call.found.error, call.ctx.requestId)
        call.ctx.refusals = refused.map(({ extensions }) => String(extensions['code']))
        return refused
      }
      const { operation, variables: variableValues } = call.found
      const operationName = params.operationName || null // '' is the same as none
      return { schema, document: operation.document, operationName, variableValues, contextValue: call }
    },
    async execute({ contextValue }) {
      const { found, headers, ctx } = contextValue as Call // what onSubscribe has set
      if (!found || 'error' in found) throw new Error('Execution without an operation.')
      // Plain data in place of GraphQLErrors: they serialize alike.
      return (await run(found, headers, ctx)) as ExecutionResult
    },
    onOperation(request, args, result) {
      const { found } = args.contextValue as Call // as above
      const answered = result as FormattedExecutionResult // what execute has returned
      const { accept } = request.headers as HttpCall['headers'] // those that it was called with
      const type = graphqlType(accept)
      if (isUnavailable(answered, found)) return response(answered, 503, { 'content-type': type, 'retry-after': '1' })
      const isRequestError = answered.data === undefined // such as variables that do not fit
      return isRequestError && type !== JSON_TYPE ? response(answered, 400, { 'content-type': type }) : undefined
    },
  })

  function answerPaid(call: HttpCall, ctx: RequestCtx, sent: PlainCall | undefined): MaybePromise<HttpAnswer> {
    const plain = sent ?? plainCall(call)
    if (!plain) {
      refuseBatch(call.body)
      return answerByLibrary(call, ctx, undefined)
    }
    const found = find(plain, ctx)
    return andThen(found, (later) => answerFound(later, call, ctx))
  }

  function answerFound(found: Found, call: HttpCall, ctx: RequestCtx): MaybePromise<HttpAnswer> {
    if ('error' in found) return answerByLibrary(call, ctx, found)
    const { headers } = call
    return andThen(run(found, headers, ctx), (result) => {
      const answered = plainAnswer(result, found)
      return mayCompress(found) ? compressed(answered, headers['accept-encoding']) : markReplay(answered, ctx)
    })
  }

  async function answerByLibrary(call: HttpCall, ctx: RequestCtx, found: Found | undefined): Promise<HttpAnswer> {
    const { accept, 'accept-encoding': acceptEncoding } = call.headers
    const body = found ? PARSED : call.body
    const context: Call = { ctx, headers: call.headers, found }
    const headers = { ...call.headers, accept: acceptedType(accept) ?? NOT_ACCEPTABLE }
    const response = await handle({ ...call, headers, body, raw: undefined, context })
    if (!context.found && (ctx.bodyBytes ?? 0) > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES) // it is no GraphQL request
    const answered = toAnswer(response, ctx, call)
    return mayCompress(context.found) ? compressed(answered, acceptEncoding) : markReplay(answered, ctx)
  }

  /** `sent`: what the body asks for, if it is known already and paid for. */
  return function answer(call: HttpCall, ctx: RequestCtx, sent?: PlainCall): MaybePromise<HttpAnswer> {
    ctx.emailEncryption = emailEncryption
    ctx.bodyPoints ??= pointsForBody(call.body)
    ctx.bodyBytes ??= Buffer.byteLength(call.body ?? '')
    if (ctx.bodyPoints > 0 && !sent) return charge(ctx, ctx.bodyPoints).then(() => answerPaid(call, ctx, sent))
    return answerPaid(call, ctx, sent)
  }
}

const NO_VARIABLES: Variables = {}

/** A request over its limits is refused by the route, whatever it asks for. */
function notFound(error: unknown): Found {
  if (error instanceof AppError && (error.code === 'RATE_LIMITED' || error.code === 'PAYLOAD_TOO_LARGE')) throw error
  return { error }
}

async function charge(ctx: RequestCtx, points: number): Promise<void> {
  if (ctx.charge) ctx.rateLimit = await ctx.charge(points)
}

/** After the change, which stays done: if too few points are left, the requests after it are refused. */
async function chargeForStored(ctx: RequestCtx, stored: Stored): Promise<void> {
  try {
    const points = pointsForStored(stored.bytes) + (await pointsForEvents(ctx.db, ctx.caller.organizationId, stored))
    if (points > 0) await charge(ctx, points)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}

/** Only mutations answer with secrets: see http/compression.ts. */
const mayCompress = (found: Found | undefined): boolean =>
  found !== undefined && 'operation' in found && found.operation.node.operation === 'query'

function markReplay(answer: HttpAnswer, { isReplayed }: RequestCtx): HttpAnswer {
  return isReplayed ? { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } } : answer
}

/** Whether the whole request is worth a retry. Not once a mutation has succeeded: it would run twice. */
function isUnavailable({ data, errors }: FormattedExecutionResult, found: Found | undefined): boolean {
  const isSo = errors?.some(({ extensions }) => extensions?.['code'] === 'UNAVAILABLE') ?? false
  if (!isSo || !found || 'error' in found || found.operation.node.operation !== 'mutation') return isSo
  return Object.values(data ?? {}).every((answer) => answer === null)
}

const response = (result: FormattedExecutionResult, status: number, headers: Record<string, string>): Response => [
  JSON.stringify(result),
  { status, statusText: '', headers },
]

/** As the library answers a client that wants plain JSON: always with 200. */
function plainAnswer(result: FormattedExecutionResult, found: Found): HttpAnswer {
  const body = JSON.stringify(result)
  if (!isUnavailable(result, found)) return { status: 200, headers: JSON_HEADERS, body }
  return { status: 503, headers: { ...JSON_HEADERS, 'retry-after': '1' }, body }
}

/** What is wrong with a document, in the protocol's shape of an error before execution. */
function refusedDocument(error: unknown, requestId: string): GraphQLError[] {
  if (error instanceof AppError) {
    return [new GraphQLError(error.message, { extensions: errorExtensions(error, requestId) })]
  }
  if (!(error instanceof InvalidDocument)) throw error
  return error.errors.map(({ message, nodes, source, positions }) => {
    const where = { nodes: nodes ?? null, source: source ?? null, positions: positions ?? null }
    return new GraphQLError(shortMessage(message), { ...where, extensions: { code: error.code, requestId } })
  })
}

function toAnswer([body, { status, headers }]: Response, { requestId }: RequestCtx, call: HttpCall): HttpAnswer {
  if (body === null || status === 405 || (status === 400 && !body.includes('"extensions"'))) {
    const type = graphqlType(call.headers.accept)
    const refusal = errorAnswer(protocolError(status, body, call, type), requestId, type)
    return { ...refusal, headers: { ...headers, ...refusal.headers } }
  }
  return { status, headers: { ...headers }, body }
}
