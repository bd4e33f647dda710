import { setImmediate } from 'node:timers/promises'
import { __Schema, type GraphQLSchema, getNamedType, isCompositeType, isIntrospectionType, isObjectType } from 'graphql'
import { AppError } from '../lib/app-error.ts'
import type { RequestCtx } from './builder.ts'
import { declaredCost } from './cost.ts'
import { COST_OF_A_POINT } from './limits.ts'

const lastOf = new WeakMap<RequestCtx, Promise<void>>()

/**
 * In an expensive operation each list is completed in its own event-loop iteration, so that other requests are answered
 * in between: otherwise nine pages of 500 would block everybody else until all of them are done.
 */
export function yieldBetweenLists(schema: GraphQLSchema): GraphQLSchema {
  yieldBetweenTypes()
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

const TYPES_AT_ONCE = 20

/**
 * The types of the schema as well, some at a time. graphql-js has one `__Schema` for all schemas: without a request, as when
 * a schema is printed, it stays as it is.
 */
function yieldBetweenTypes(): void {
  const { types } = __Schema.getFields()
  const resolve = types?.resolve
  if (!types || !resolve || isYielding.has(types)) return
  isYielding.add(types)
  types.resolve = (source, args, ctx: RequestCtx | undefined, info) => {
    const all = resolve(source, args, ctx, info) as readonly unknown[]
    if (!ctx?.cost || ctx.cost <= COST_OF_A_POINT) return all
    let turn = Promise.resolve()
    return all.map((type, i) => {
      if (i % TYPES_AT_ONCE === 0 && i > 0) turn = turn.then(() => setImmediate())
      return i < TYPES_AT_ONCE ? type : turn.then(() => type)
    })
  }
}

const isYielding = new WeakSet<object>()

async function inTurn(ctx: RequestCtx, result: unknown): Promise<unknown> {
  const list = await result
  const turn = (lastOf.get(ctx) ?? Promise.resolve()).then(() => setImmediate())
  lastOf.set(ctx, turn)
  await turn
  requireListener(ctx)
  return list
}

/** Stops the rest of the work when the client has disconnected or has got the error that the operation timed out. */
function requireListener({ isDisconnected }: RequestCtx): void {
  if (isDisconnected?.()) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 })
}
