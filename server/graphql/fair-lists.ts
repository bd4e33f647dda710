import { setImmediate } from 'node:timers/promises'
import { type GraphQLSchema, getNamedType, isCompositeType, isIntrospectionType, isObjectType } from 'graphql'
import { Failure } from '../lib/failure.ts'
import type { RequestCtx } from './builder.ts'
import { declaredCost } from './cost.ts'
import { COST_OF_A_POINT } from './limits.ts'

const lastOf = new WeakMap<RequestCtx, Promise<void>>()

/**
 * In a dear operation each list is written out in a turn of its own of the event loop, so that other requests are answered
 * in between: without that, nine pages of 500 would hold up everybody for as long as all of them take.
 */
export function yieldBetweenLists(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field
      const { cost = 1, maxItems = 1 } = declaredCost(field)
      const isLong = cost > 1 || maxItems > 1 || field.args.some(({ name }) => name === 'first')
      if (!resolve || !isLong || !isCompositeType(getNamedType(field.type))) continue
      field.resolve = (source, args, ctx: RequestCtx, info) => {
        if (ctx.cost <= COST_OF_A_POINT) return resolve(source, args, ctx, info)
        requireListener(ctx)
        return inTurn(ctx, resolve(source, args, ctx, info))
      }
    }
  }
  return schema
}

async function inTurn(ctx: RequestCtx, result: unknown): Promise<unknown> {
  const list = await result
  const turn = (lastOf.get(ctx) ?? Promise.resolve()).then(() => setImmediate())
  lastOf.set(ctx, turn)
  await turn
  requireListener(ctx)
  return list
}

/** Whoever has hung up, or was told that it took too long, gets nothing more: the rest of the work is left. */
function requireListener({ isGone }: RequestCtx): void {
  if (isGone?.()) throw new Failure('UNAVAILABLE', { retryAfterSeconds: 1 })
}
