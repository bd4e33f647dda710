import type { DocumentNode, GraphQLSchema } from 'graphql'
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
 * Finds operations by their documents. A new one is parsed, measured, validated and planned in its turn, and known from
 * then on; a long one is paid for once it is parsed, and waits for another turn.
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
    const prepared = (document: DocumentNode) => operations.prepare(call.query, call.operationName, document)

    const read = await inTurn(sender, () => {
      const document = readDocument(call.query)
      return pointsForDocument(document) > 0 ? document : prepared(document)
    })
    if ('costWith' in read) return read
    await charge(ctx, pointsForDocument(read))
    return inTurn(sender, () => find(call) ?? prepared(read)) // another caller's may have been prepared since
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
