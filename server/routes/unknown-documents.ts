import type { DocumentNode, GraphQLSchema } from 'graphql'
import { actorOf } from '../ctx.ts'
import type { RequestCtx } from '../graphql/builder.ts'
import { type CheckingOptions, createChecking } from '../graphql/checking.ts'
import { readDocument } from '../graphql/document.ts'
import { createOperations, type Operation } from '../graphql/operation.ts'
import { pointsForDocument } from '../graphql/points.ts'
import { AppError } from '../lib/app-error.ts'
import type { PlainCall } from './plain-call.ts'

type Charge = (ctx: RequestCtx, points: number) => Promise<void>

/**
 * Finds operations by their documents. One that is not cached is parsed, charged and validated in its turn; when many
 * callers send the same one at once, it is parsed and validated once.
 */
export function createDocuments(schema: GraphQLSchema, charge: Charge, options?: CheckingOptions) {
  const operations = createOperations(schema)
  const check = createChecking(options)
  /** Parsed, and not validated yet. */
  const reading = new Map<string, DocumentNode>()
  /** By caller too: nobody waits for the turn of another. */
  const preparing = new Map<string, Promise<Operation>>()

  async function prepare({ query, operationName }: PlainCall, ctx: RequestCtx): Promise<Operation> {
    const { organizationId } = ctx.caller
    const sender = { organizationId, callerId: actorOf(ctx.caller).id ?? '', isDisconnected: ctx.isDisconnected }
    const known = () => operations.find(query, operationName) // another caller's may have been the same
    const read = await check(sender, () => known() ?? reading.get(query) ?? readDocument(query))
    if ('costWith' in read) return read
    reading.set(query, read)
    try {
      const points = pointsForDocument(read)
      if (points > 0) await charge(ctx, points)
      return await check(sender, () => known() ?? operations.prepare(query, operationName, read))
    } finally {
      reading.delete(query)
    }
  }

  /** Together with others of the same caller; once more, if the first of them got no turn: it may have disconnected. */
  async function prepareOnce(call: PlainCall, ctx: RequestCtx, isLast = false): Promise<Operation> {
    const { organizationId } = ctx.caller
    const key = `${JSON.stringify([organizationId, actorOf(ctx.caller).id, call.operationName])}${call.query}`
    const first = preparing.get(key)
    if (first) {
      return first.catch((error: unknown) => {
        if (isLast || !isOverLimit(error)) throw error
        return operations.find(call.query, call.operationName) ?? prepareOnce(call, ctx, true)
      })
    }
    const own = prepare(call, ctx)
    preparing.set(key, own)
    try {
      return await own
    } finally {
      preparing.delete(key)
    }
  }

  /** Without a promise for a cached one, as nearly always. */
  return (call: PlainCall, ctx: RequestCtx): Operation | Promise<Operation> =>
    operations.find(call.query, call.operationName) ?? prepareOnce(call, ctx)
}

const isOverLimit = (error: unknown) => error instanceof AppError && error.code === 'RATE_LIMITED'
