import {
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isIntrospectionType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import { ADMIN_ONLY, type FieldAccess, includes } from '../caller/key-rules.ts'
import type { Fragments } from './measure.ts'

type Declared = Pick<GraphQLField<unknown, unknown>, 'name' | 'extensions'>

/** Which keys may request the field: as it declares, or else its type; without either, those of ADMIN alone. */
export const accessOf = (type: GraphQLObjectType, { name, extensions }: Declared): FieldAccess =>
  extensions.access ?? {
    name: isRoot(type) ? name : `${type.name}.${name}`,
    accesses: type.extensions.access ?? ADMIN_ONLY,
  }

/** By the name of a root field, or `Type.field`. One that the schema does not have is for ADMIN alone. */
export function accessNamed(schema: GraphQLSchema, name: string): FieldAccess {
  const [typeName = '', fieldName] = name.split('.')
  const types = fieldName === undefined ? rootTypes(schema) : [schema.getType(typeName)]
  for (const type of types) {
    const field = isObjectType(type) ? type.getFields()[fieldName ?? name] : undefined
    if (isObjectType(type) && field) return accessOf(type, field)
  }
  return { name, accesses: ADMIN_ONLY }
}

/** Throws if neither a field nor its type declares its access; of root types, and of those that DEVICES or CHECK_IN reach, each field has to. */
export function requireDeclaredAccess(schema: GraphQLSchema): void {
  const ofDevices = typesForDevices(schema)
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue
    const declared = isRoot(type) || ofDevices.has(type) ? undefined : type.extensions.access
    for (const field of Object.values(type.getFields())) {
      if (!field.extensions.access && !declared)
        throw new Error(`${type.name}.${field.name} does not declare its access.`)
    }
  }
}

/** The types that DEVICES or CHECK_IN reach. */
export function typesForDevices(schema: GraphQLSchema): Set<GraphQLObjectType> {
  const found = new Set<GraphQLObjectType>()
  const follow = (type: GraphQLObjectType) => {
    for (const field of Object.values(type.getFields())) {
      if (isForDevices(accessOf(type, field))) reach(getNamedType(field.type))
    }
  }
  const reach = (type: GraphQLNamedType) => {
    if (!isObjectType(type) || found.has(type)) return
    found.add(type)
    follow(type)
  }
  for (const type of rootTypes(schema)) follow(type)
  return found
}

const isForDevices = (field: FieldAccess) =>
  includes('DEVICES', field) || includes('CHECK_IN', field) || field.idOf === 'CALLING_KEY'

const rootTypes = (schema: GraphQLSchema) =>
  [schema.getQueryType(), schema.getMutationType()].filter((type) => type != null)

export const isRoot = ({ name }: GraphQLObjectType) => name === 'Query' || name === 'Mutation'

/**
 * What a validated operation requests, as far as the access of a key depends on it, each field once: those of the root
 * type, and those below that DEVICES may not request although it may request the root field. Fragments are expanded and
 * aliases resolved. Fields that @skip or @include may leave out are among them. Introspection is not: it is open to
 * everybody.
 */
export function accessedFieldsOf(
  schema: GraphQLSchema,
  fragments: Fragments,
  { operation, selectionSet }: OperationDefinitionNode,
): readonly FieldAccess[] {
  const found = new Map<string, FieldAccess>()
  const expanded = new Set<FragmentDefinitionNode>()

  const collect = ({ selections }: OperationDefinitionNode['selectionSet'], type: GraphQLObjectType): void => {
    for (const node of selections) {
      if (node.kind === Kind.INLINE_FRAGMENT) {
        collect(node.selectionSet, type)
      } else if (node.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(node.name.value)
        if (!fragment || expanded.has(fragment)) continue // it is of the same type each time
        expanded.add(fragment)
        collect(fragment.selectionSet, type)
      } else {
        const field = type.getFields()[node.name.value]
        if (!field) continue // a field of introspection
        const access = accessOf(type, field)
        if (isRoot(type) || !includes('DEVICES', access)) found.set(access.name, access)
        const below = getNamedType(field.type)
        if (node.selectionSet && isObjectType(below) && (!isRoot(type) || isForDevices(access)))
          collect(node.selectionSet, below)
      }
    }
  }

  const root = schema.getRootType(operation)
  if (root) collect(selectionSet, root)
  return [...found.values()]
}
