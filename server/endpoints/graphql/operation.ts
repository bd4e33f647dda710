import type { DocumentNode, FormattedExecutionResult, GraphQLFormattedError, GraphQLSchema } from 'graphql'
import { actorOf } from '../../caller/ctx.ts'
import type { RequestCtx } from '../../graphql/builder.ts'
import { type CheckingOptions, createChecking } from '../../graphql/checking.ts'
import { pointsForDocument } from '../../graphql/cost.ts'
import { InvalidDocument, readDocument } from '../../graphql/document.ts'
import { BODY_OF_A_POINT, COST_OF_A_POINT, MAX_BODY_BYTES } from '../../graphql/operation-limits.ts'
import type { Variables } from '../../graphql/page-arguments.ts'
import { createOperations, type Operation } from '../../graphql/prepared-operations.ts'
import { shortMessage } from '../../graphql/run-operation.ts'
import { requireBulk, requireFewValues } from '../../graphql/variables.ts'
import { AppError, errorExtensions } from '../../lib/app-error.ts'
import type { GraphqlRequest } from './request.ts'

/** An operation that fits the schema and the limits, and is paid for. */
export interface FoundOperation {
  operation: Operation
  variables: Variables
  request: GraphqlRequest
}

/** The answer where there is nothing to run. */
type Refused = Pick<Required<FormattedExecutionResult>, 'errors'>

export type FindOperation = (request: GraphqlRequest, ctx: RequestCtx) => Promise<FoundOperation | Refused>

/** Finds the operation of a request. Nothing is parsed, validated or run before it is charged. */
export function createOperationFinder(schema: GraphQLSchema): FindOperation {
  const operationOf = createDocuments(schema, charge)

  return async function findOperation(request, ctx) {
    const { bodyBytes = 0, bodyPoints = 0 } = ctx
    try {
      const variables = request.variables ?? {}
      if (bodyBytes > MAX_BODY_BYTES) requireBulk(bodyBytes, variables)
      if (request.variables) requireFewValues(variables)
      const operation = await operationOf(request, ctx)
      ctx.operation = operation.title
      ctx.accessedFields = operation.accessedFields
      ctx.cost = operation.costWith(variables)
      const further = Math.ceil(ctx.cost / COST_OF_A_POINT) - 1 // the first was taken for the request
      await charge(ctx, further - bodyPoints) // a long list of inputs is both, and paid once
      return { operation, variables, request }
    } catch (error) {
      const errors = refusal(error, ctx.requestId)
      ctx.refusals = errors.map(({ extensions }) => String(extensions?.['code']))
      return { errors }
    }
  }
}

/** Charges the body of a request, which has to be parsed before anything is known about it, and `further` points. */
export function chargeForBody(ctx: RequestCtx, body: string, further = 0): Promise<void> {
  ctx.bodyBytes = Buffer.byteLength(body)
  ctx.bodyPoints = Math.floor(body.length / BODY_OF_A_POINT)
  return charge(ctx, ctx.bodyPoints + further)
}

/** Takes further points from the limit of the caller; throws when too few are left. */
export async function charge(ctx: RequestCtx, points: number): Promise<void> {
  if (points > 0 && ctx.charge) ctx.rateLimit = await ctx.charge(points)
}

/** What is wrong with a document, or with its variables. A request over its limits is refused by the route, whatever it asks for. */
function refusal(error: unknown, requestId: string): GraphQLFormattedError[] {
  if (error instanceof InvalidDocument)
    return error.errors.map((each) => ({
      ...each.toJSON(),
      message: shortMessage(each.message),
      extensions: { code: error.code, requestId },
    }))
  if (!(error instanceof AppError) || error.code === 'RATE_LIMITED' || error.code === 'PAYLOAD_TOO_LARGE') throw error
  return [{ message: error.message, extensions: errorExtensions(error, requestId) }]
}

type Charge = (ctx: RequestCtx, points: number) => Promise<void>

/**
 * Finds operations by their documents. A new one is parsed, measured, validated and planned in its turn, and known from
 * then on; a long one is paid for once it is parsed, and waits for another turn.
 */
export function createDocuments(schema: GraphQLSchema, charge: Charge, options?: CheckingOptions) {
  const operations = createOperations(schema)
  const inTurn = createChecking(options)
  /** By caller too: nobody waits for the turn of another. */
  const preparing = new Map<string, Promise<Operation>>()

  async function prepare(call: GraphqlRequest, ctx: RequestCtx): Promise<Operation> {
    const { organizationId } = ctx.caller
    const sender = { organizationId, callerId: actorOf(ctx.caller).id ?? '', isDisconnected: ctx.isDisconnected }
    const prepared = (document: DocumentNode) => operations.prepare(call, document)

    const read = await inTurn(sender, () => {
      const document = readDocument(call.query)
      return pointsForDocument(document) > 0 ? document : prepared(document)
    })
    if ('costWith' in read) return read
    await charge(ctx, pointsForDocument(read))
    return inTurn(sender, () => operations.find(call) ?? prepared(read)) // another caller's may have been prepared since
  }

  /** What one caller sends many times at once is prepared once; again if that one got no turn: it may have disconnected. */
  function prepareOnce(call: GraphqlRequest, ctx: RequestCtx, isLast = false): Promise<Operation> {
    const key = keyOf(call, ctx)
    const first = preparing.get(key)
    if (!first) {
      const own = prepare(call, ctx).finally(() => preparing.delete(key))
      preparing.set(key, own)
      return own
    }
    return first.catch((error: unknown) => {
      if (isLast || !isOverLimit(error)) throw error
      return operations.find(call) ?? prepareOnce(call, ctx, true)
    })
  }

  /** Without a promise for a known one, as nearly always. */
  return (call: GraphqlRequest, ctx: RequestCtx): Operation | Promise<Operation> =>
    operations.find(call) ?? prepareOnce(call, ctx)
}

const keyOf = ({ query, operationName }: GraphqlRequest, { caller }: RequestCtx) =>
  `${JSON.stringify([caller.organizationId, actorOf(caller).id, operationName])}${query}`

const isOverLimit = (error: unknown) => error instanceof AppError && error.code === 'RATE_LIMITED'
