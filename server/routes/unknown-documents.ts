import type { GraphQLSchema } from 'graphql'
import { actorOf } from '../ctx.ts'
import type { RequestCtx } from '../graphql/builder.ts'
import { type CheckingOptions, createChecking } from '../graphql/checking.ts'
import { pointsForDocument } from '../graphql/cost.ts'
import { readDocument } from '../graphql/document.ts'
import { createOperations, type Operation } from '../graphql/operation.ts'
import { AppError } from '../lib/app-error.ts'
import type { GraphqlRequest } from './graphql/request.ts'

type Charge = (ctx: RequestCtx, points: number) => Promise<void>

/**
 * Finds operations by their documents. A new one is parsed, paid for, measured and validated, and known from then on; it
 * waits for its turn before it is parsed and before it is validated.
 */
export function createDocuments(schema: GraphQLSchema, charge: Charge, options?: CheckingOptions) {
  const operations = createOperations(schema)
  const inTurn = createChecking(options)
  /** By caller too: nobody waits for the turn of another. */
  const preparing = new Map<string, Promise<Operation>>()

  const find = ({ query, operationName }: GraphqlRequest) => operations.find(query, operationName)

  async function prepare(call: GraphqlRequest, ctx: RequestCtx): Promise<Operation> {
    const { organizationId } = ctx.caller
    const sender = { organizationId, callerId: actorOf(ctx.caller).id ?? '', isDisconnected: ctx.isDisconnected }
    const document = await inTurn(sender, () => readDocument(call.query))
    const points = pointsForDocument(document)
    if (points > 0) await charge(ctx, points)
    // Another caller's may have been prepared since.
    return inTurn(sender, () => find(call) ?? operations.prepare(call.query, call.operationName, document))
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
      return find(call) ?? prepareOnce(call, ctx, true)
    })
  }

  /** Without a promise for a known one, as nearly always. */
  return (call: GraphqlRequest, ctx: RequestCtx): Operation | Promise<Operation> => find(call) ?? prepareOnce(call, ctx)
}

const keyOf = ({ query, operationName }: GraphqlRequest, { caller }: RequestCtx) =>
  `${JSON.stringify([caller.organizationId, actorOf(caller).id, operationName])}${query}`

const isOverLimit = (error: unknown) => error instanceof AppError && error.code === 'RATE_LIMITED'
