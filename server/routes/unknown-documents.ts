import type { DocumentNode, GraphQLSchema } from 'graphql'
import { actorOf } from '../ctx.ts'
import type { RequestCtx } from '../graphql/builder.ts'
import { type CheckingOptions, createChecking } from '../graphql/checking.ts'
import { readDocument } from '../graphql/document.ts'
import { createOperations, type Operation } from '../graphql/operation.ts'
import { pointsForDocument } from '../graphql/points.ts'
import { AppError } from '../lib/app-error.ts'
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import type { GraphqlRequest } from './graphql/request.ts'

type Charge = (ctx: RequestCtx, points: number) => Promise<void>

/**
 * Finds operations by their documents. One that is not cached is parsed, charged and validated in its turn, at once if
 * nobody waits for one; when many callers send the same one at once, it is parsed and validated once.
 */
export function createDocuments(schema: GraphQLSchema, charge: Charge, options?: CheckingOptions) {
  const operations = createOperations(schema)
  const check = createChecking(options)
  /** Parsed, and not validated yet. */
  const reading = new Map<string, DocumentNode>()
  /** By caller too: nobody waits for the turn of another. */
  const preparing = new Map<string, Promise<Operation>>()

  /** A short one is parsed and validated in one turn; a long one is paid for in between. */
  function prepare({ query, operationName }: GraphqlRequest, ctx: RequestCtx): MaybePromise<Operation> {
    const { organizationId } = ctx.caller
    const sender = { organizationId, callerId: actorOf(ctx.caller).id ?? '', isDisconnected: ctx.isDisconnected }
    const known = () => operations.find(query, operationName) // another caller's may have been the same

    const validated = (document: DocumentNode) => operations.prepare(query, operationName, document)

    const payAndValidate = (read: Operation | DocumentNode): MaybePromise<Operation> => {
      if ('costWith' in read) return read
      reading.set(query, read)
      return charge(ctx, pointsForDocument(read))
        .then(() => check(sender, () => known() ?? validated(read)))
        .finally(() => reading.delete(query))
    }

    const read = check(sender, () => {
      const before = known() ?? reading.get(query)
      if (before) return before
      const document = readDocument(query)
      return pointsForDocument(document) > 0 ? document : validated(document)
    })
    return andThen(read, payAndValidate)
  }

  /** Together with others of the same caller; once more, if the first of them got no turn: it may have disconnected. */
  function prepareOnce(call: GraphqlRequest, ctx: RequestCtx, isLast = false): MaybePromise<Operation> {
    const key = preparing.size > 0 ? keyOf(call, ctx) : ''
    const first = preparing.get(key)
    if (first) {
      return first.catch((error: unknown) => {
        if (isLast || !isOverLimit(error)) throw error
        return operations.find(call.query, call.operationName) ?? prepareOnce(call, ctx, true)
      })
    }
    const own = prepare(call, ctx)
    if (!(own instanceof Promise)) return own
    const ownKey = keyOf(call, ctx)
    preparing.set(ownKey, own)
    return own.finally(() => preparing.delete(ownKey))
  }

  /** Without a promise for a cached one, as nearly always. */
  return (call: GraphqlRequest, ctx: RequestCtx): MaybePromise<Operation> =>
    operations.find(call.query, call.operationName) ?? prepareOnce(call, ctx)
}

const keyOf = ({ query, operationName }: GraphqlRequest, { caller }: RequestCtx) =>
  `${JSON.stringify([caller.organizationId, actorOf(caller).id, operationName])}${query}`

const isOverLimit = (error: unknown) => error instanceof AppError && error.code === 'RATE_LIMITED'
