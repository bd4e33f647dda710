import type { FormattedExecutionResult, GraphQLFormattedError, GraphQLSchema } from 'graphql'
import type { RequestCtx } from '../../graphql/builder.ts'
import { pointsForCost } from '../../graphql/cost.ts'
import { InvalidDocument } from '../../graphql/document.ts'
import { shortMessage } from '../../graphql/execute.ts'
import type { Operation } from '../../graphql/operation.ts'
import type { Variables } from '../../graphql/page-arguments.ts'
import { requireBulk, requireFewValues } from '../../graphql/variables.ts'
import { AppError, errorExtensions } from '../../lib/app-error.ts'
import { createDocuments } from '../unknown-documents.ts'
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

  async function find(request: GraphqlRequest, ctx: RequestCtx): Promise<FoundOperation> {
    const variables = request.variables ?? {}
    requireBulk(ctx.bodyBytes ?? 0, variables)
    requireFewValues(variables)
    const operation = await operationOf(request, ctx)
    ctx.operation = operation.title
    ctx.accessedFields = operation.accessedFields
    ctx.cost = operation.costWith(variables)
    await charge(ctx, pointsForCost(ctx.cost) - (ctx.bodyPoints ?? 0)) // a long list of inputs is both, and paid once
    return { operation, variables, request }
  }

  return async (request, ctx) => {
    try {
      return await find(request, ctx)
    } catch (error) {
      const errors = refusal(error, ctx.requestId)
      ctx.refusals = errors.map(({ extensions }) => String(extensions?.['code']))
      return { errors }
    }
  }
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
