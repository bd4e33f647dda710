import { setImmediate } from 'node:timers/promises'
import {
  __Schema,
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isIntrospectionType,
  isListType,
  isObjectType,
} from 'graphql'
import { EVERY_ACCESS, requireAccess } from '../caller/key-rules.ts'
import { AppError } from '../lib/app-error.ts'
import type { RequestCtx } from './builder.ts'
import { argumentCheck } from './checked-arguments.ts'
import { accessOf, requireDeclaredAccess } from './field-access.ts'
import { COST_OF_A_POINT } from './operation-limits.ts'

/** Makes every field keep to what it declares, before its resolver sees a call. A field that declares too little is a bug. */
export function applyFieldRules(schema: GraphQLSchema): GraphQLSchema {
  requireDeclaredAccess(schema)
  yieldBetweenTypes()
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue
    for (const field of Object.values(type.getFields())) {
      requireDeclarations(type, field)
      applyRules(type, field)
    }
  }
  return schema
}

/**
 * Refuses a key what its access does not include, under any alias and in any fragment; checks the arguments, literals and
 * variables alike; and takes turns with others where an expensive operation has a long list. A mutation passes on which
 * field it is: its transaction checks the access again, by the key as it is then (C12).
 */
function applyRules(type: GraphQLObjectType, field: GraphQLField<unknown, RequestCtx>): void {
  const isMutation = type.name === 'Mutation'
  const access = accessOf(type, field)
  const isForEvery = EVERY_ACCESS.every((each) => access.accesses.includes(each)) && !access.idOf
  const check = argumentCheck(type, field)
  const isLong = mayBeLong(field)
  if (isForEvery && !check && !isLong && !isMutation) return // costs nothing for each entry of a list
  const { resolve = defaultFieldResolver } = field

  field.resolve = (source, given, ctx, info) => {
    let args = given
    let passed = ctx
    try {
      if (ctx.caller.kind === 'API_KEY') {
        const call = { field: access, id: given['id'] }
        requireAccess(ctx.caller.rules, call, ctx.caller.keyId)
        if (isMutation) passed = { ...ctx, rootCall: call }
      }
      if (check) args = check(given)
      if (isLong && ctx.cost > COST_OF_A_POINT) return inTurn(ctx, () => resolve(source, args, passed, info))
    } catch (error) {
      return Promise.reject(error) // not thrown: see field-errors.ts
    }
    return resolve(source, args, passed, info)
  }
}

/** A list that says neither how long it is nor that it has pages would cost as much as one entry. */
function requireDeclarations(
  { name: typeName }: GraphQLObjectType,
  { name, type, extensions }: GraphQLField<unknown, RequestCtx>,
): void {
  const { maxItems, isPage } = extensions.cost ?? {}
  if (isListType(getNullableType(type)) && maxItems === undefined && !isPage)
    throw new Error(`${typeName}.${name} does not declare how many entries it has.`)
  if (typeName === 'Mutation' && !extensions.effect) throw new Error(`${name} does not declare its effect.`)
}

function mayBeLong({ type, args, extensions }: GraphQLField<unknown, RequestCtx>): boolean {
  if (!isCompositeType(getNamedType(type))) return false
  const { own = 1, maxItems = 1 } = extensions.cost ?? {}
  return own > 1 || maxItems > 1 || args.some(({ name }) => name === 'first')
}

/** Each list of an expensive operation has its own event-loop iteration: nine pages of 500 would block everybody else. */
async function inTurn(ctx: RequestCtx, resolve: () => unknown): Promise<unknown> {
  requireListener(ctx)
  const list = await resolve()
  ctx.lastTurn = (ctx.lastTurn ?? Promise.resolve()).then(() => setImmediate())
  await ctx.lastTurn
  requireListener(ctx)
  return list
}

/** Stops the rest of the work when the client has disconnected or has got the error that the operation timed out. */
function requireListener({ isDisconnected }: RequestCtx): void {
  if (isDisconnected?.()) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 })
}

const TYPES_AT_ONCE = 20

/** Lists the types of a schema some at a time. graphql-js has one `__Schema`: without a request, as for printing, it stays as it is. */
function yieldBetweenTypes(): void {
  const { types } = __Schema.getFields()
  const resolve = types?.resolve
  if (!types || !resolve || types.extensions['isYielding']) return
  types.extensions = { isYielding: true }
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
