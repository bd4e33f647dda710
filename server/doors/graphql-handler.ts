import { type ExecutionResult, type FormattedExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql'
import { createHandler, type Response } from 'graphql-http'
import type { RequestCtx } from '../graphql/builder.ts'
import { InvalidDocument, readDocument } from '../graphql/document.ts'
import { runOperation } from '../graphql/execute.ts'
import { createOperations, type Operation } from '../graphql/operation.ts'
import type { Variables } from '../graphql/page-arguments.ts'
import { pointsForCost, pointsForDocument } from '../graphql/points.ts'
import type { HttpAnswer, HttpCall } from '../http/exchange.ts'
import { Failure, failureExtensions } from '../lib/failure.ts'
import type { Log } from '../lib/log.ts'
import type { Seal } from '../lib/seal.ts'
import { type PlainCall, plainCall } from './plain-call.ts'
import { failureAnswer, protocolFailure } from './refusal.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const JSON_HEADERS = { 'content-type': JSON_TYPE }

/** An operation that may be run, or why there is none. */
type Found = { operation: Operation; variables: Variables } | { error: unknown }

type Call = { ctx: RequestCtx; found: Found | undefined }

/** Speaks GraphQL over HTTP for both doors: they say who is calling, this does the rest. */
export function createGraphqlHandler(schema: GraphQLSchema, log: Log, mailSeal?: Seal) {
  const operations = createOperations(schema)

  /** Nothing is validated or run before it is charged: who has no points left is refused by the door. */
  async function find(call: PlainCall, ctx: RequestCtx): Promise<Found> {
    const variables = call.variables ?? {}
    try {
      const operation = operations.find(call.query, call.operationName) ?? (await prepare(call, ctx))
      ctx.operation = operation.title
      ctx.cost = operation.costWith(variables)
      const points = pointsForCost(ctx.cost)
      if (points > 0) await charge(ctx, points)
      return { operation, variables }
    } catch (error) {
      if (error instanceof Failure && error.code === 'RATE_LIMITED') throw error
      return { error }
    }
  }

  async function prepare({ query, operationName }: PlainCall, ctx: RequestCtx): Promise<Operation> {
    const document = readDocument(query)
    const points = pointsForDocument(document)
    if (points > 0) await charge(ctx, points)
    return operations.prepare(query, operationName, document)
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
      const operationName = params.operationName || null // '' names none
      return { schema, document: operation.document, operationName, variableValues, contextValue: call }
    },
    async execute({ contextValue }) {
      const { found, ctx } = contextValue as Call // what onSubscribe has put there
      if (!found || 'error' in found) throw new Error('Execution without an operation.')
      // Plain data in place of GraphQLErrors: they print alike, and compiled operations have no nodes to make real ones.
      return (await runOperation(found.operation, ctx, found.variables, log)) as ExecutionResult
    },
    onOperation(_request, args, result) {
      const { found } = args.contextValue as Call // as above
      if (!isUnavailable(result as FormattedExecutionResult, found)) return undefined
      const headers = { 'content-type': JSON_TYPE, 'retry-after': '1' }
      return [JSON.stringify(result), { status: 503, statusText: 'Service Unavailable', headers }]
    },
  })

  return async function answer(call: HttpCall, ctx: RequestCtx): Promise<HttpAnswer> {
    ctx.mailSeal = mailSeal
    const plain = plainCall(call)
    const found = plain && (await find(plain, ctx))
    if (found && 'operation' in found) {
      return plainAnswer(await runOperation(found.operation, ctx, found.variables, log), found)
    }
    return toAnswer(await handle({ ...call, raw: undefined, context: { ctx, found } }), ctx)
  }
}

async function charge(ctx: RequestCtx, points: number): Promise<void> {
  if (ctx.charge) ctx.rateLimit = await ctx.charge(points)
}

/** Whether all of it is worth another try. Not so once a mutation has answered: it would be done twice. */
function isUnavailable({ data, errors }: FormattedExecutionResult, found: Found | undefined): boolean {
  const isSo = errors?.some(({ extensions }) => extensions?.['code'] === 'UNAVAILABLE') ?? false
  if (!isSo || !found || 'error' in found || found.operation.node.operation !== 'mutation') return isSo
  return Object.values(data ?? {}).every((answer) => answer === null)
}

/** As the library answers who wants plain JSON: with 200, whatever came of it. */
function plainAnswer(result: FormattedExecutionResult, found: Found): HttpAnswer {
  const body = JSON.stringify(result)
  if (!isUnavailable(result, found)) return { status: 200, headers: JSON_HEADERS, body }
  return { status: 503, headers: { ...JSON_HEADERS, 'retry-after': '1' }, body }
}

/** What is wrong with a document, in the shape that the protocol gives a refusal before execution. */
function refusedDocument(error: unknown, requestId: string): GraphQLError[] {
  if (error instanceof Failure) {
    return [new GraphQLError(error.message, { extensions: failureExtensions(error, requestId) })]
  }
  if (!(error instanceof InvalidDocument)) throw error
  return error.errors.map(({ message, nodes, source, positions }) => {
    const where = { nodes: nodes ?? null, source: source ?? null, positions: positions ?? null }
    return new GraphQLError(message, { ...where, extensions: { code: error.code, requestId } })
  })
}

function toAnswer([body, { status, headers }]: Response, { requestId }: RequestCtx): HttpAnswer {
  if (body === null || status === 405 || (status === 400 && !body.includes('"extensions"'))) {
    const refusal = failureAnswer(protocolFailure(status, body), requestId)
    return { ...refusal, headers: { ...headers, ...refusal.headers } }
  }
  return { status, headers: { ...headers }, body }
}
