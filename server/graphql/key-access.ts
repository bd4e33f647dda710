import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
} from 'graphql'
import { FIELDS_BELOW, includes, requireAccess, requireAccessBelow } from '../key-access.ts'
import type { RequestCtx } from './builder.ts'

type Field = GraphQLField<unknown, RequestCtx>

/**
 * Refuses a key what its access does not include, before a resolver sees the call: under any alias and in any fragment. A root field of Mutation also passes on which one it is: the transaction checks
 * the access again, by the key as it is then (C12). Below the root only fields that are not open to every access have a
 * check, so that the others cost nothing.
 */
export function checkKeyAccess(schema: GraphQLSchema): GraphQLSchema {
  for (const field of fieldsOf(schema.getQueryType())) checkQueryField(field)
  for (const field of fieldsOf(schema.getMutationType())) checkMutationField(field)
  for (const type of openTypes(schema)) {
    const open = FIELDS_BELOW[type.name] ?? []
    for (const field of Object.values(type.getFields())) {
      if (!open.includes(field.name)) checkFieldBelow(field, `${type.name}.${field.name}`)
    }
  }
  return schema
}

function checkQueryField(field: Field): void {
  const [resolve, { name }] = [resolverOf(field), field]
  field.resolve = (source, args, ctx, info) => {
    const { caller } = ctx
    if (caller.kind === 'API_KEY' && caller.rules.access !== 'ADMIN')
      requireAccess(caller.rules, { field: name, id: args['id'] })
    return resolve(source, args, ctx, info)
  }
}

function checkMutationField(field: Field): void {
  const [resolve, { name }] = [resolverOf(field), field]
  field.resolve = (source, args, ctx, info) => {
    if (ctx.caller.kind !== 'API_KEY') return resolve(source, args, ctx, info)
    const rootCall = { field: name, id: args['id'] }
    requireAccess(ctx.caller.rules, rootCall, ctx.caller.keyId)
    return resolve(source, args, { ...ctx, rootCall }, info)
  }
}

function checkFieldBelow(field: Field, name: string): void {
  const resolve = field.resolve ?? defaultFieldResolver
  field.resolve = (source, args, ctx, info) => {
    try {
      if (ctx.caller.kind === 'API_KEY') requireAccessBelow(ctx.caller.rules, name)
    } catch (error) {
      return Promise.reject(error) // not thrown at once: see field-errors.ts
    }
    return resolve(source, args, ctx, info)
  }
}

function resolverOf({ resolve, name }: Field) {
  if (!resolve) throw new Error(`${name} has no resolver.`)
  return resolve
}

const fieldsOf = (type: GraphQLObjectType | null | undefined): Field[] => Object.values(type?.getFields() ?? {})

/** The types that DEVICES and CHECK_IN reach by fields that are open to them. */
export function openTypes(schema: GraphQLSchema): Set<GraphQLObjectType> {
  const found = new Set<GraphQLObjectType>()
  const reach = (type: GraphQLNamedType) => {
    if (!isObjectType(type) || found.has(type)) return
    found.add(type)
    const open = FIELDS_BELOW[type.name] ?? []
    for (const field of Object.values(type.getFields())) {
      if (open.includes(field.name)) reach(getNamedType(field.type))
    }
  }
  for (const field of [...fieldsOf(schema.getQueryType()), ...fieldsOf(schema.getMutationType())]) {
    if (includes('DEVICES', field.name) || includes('CHECK_IN', field.name)) reach(getNamedType(field.type))
  }
  return found
}
