import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
  type ValueNode,
} from 'graphql'
import type { Fragments } from './measure.ts'

/** A field of an answer, and what is requested below it. */
export interface PlannedField {
  readonly key: string
  readonly parentType: GraphQLObjectType
  readonly field: GraphQLField<unknown, unknown>
  /** Each place of the document that requests it. */
  readonly nodes: readonly [FieldNode, ...FieldNode[]]
  /** Its arguments, where they do not depend on variables. */
  readonly args: Record<string, unknown> | undefined
  readonly below: readonly PlannedField[]
}

/** What a query reads, for `run-plan.ts`. */
export interface Plan {
  readonly fields: readonly PlannedField[]
  /** By their names, for resolvers that look at what is requested. */
  readonly fragments: Record<string, FragmentDefinitionNode>
}

/** Plans a validated query. Undefined: graphql-js runs it, as mutations, introspection, and what @skip or @include may leave out. */
export function planQuery(
  schema: GraphQLSchema,
  fragments: Fragments,
  { operation, selectionSet }: OperationDefinitionNode,
): Plan | undefined {
  const root = schema.getQueryType()
  const fields = root && operation === 'query' ? fieldsOf(fragments, root, [selectionSet]) : undefined
  return fields && { fields, fragments: Object.fromEntries(fragments) }
}

function fieldsOf(
  fragments: Fragments,
  parentType: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): PlannedField[] | undefined {
  const requested = new Map<string, [FieldNode, ...FieldNode[]]>()
  const expanded = new Set<string>()
  if (!sets.every((set) => collect(fragments, set, requested, expanded))) return undefined
  const fields: PlannedField[] = []
  for (const [key, nodes] of requested) {
    const [node] = nodes
    const field = fieldNamed(parentType, node.name.value)
    if (!field) return undefined
    const below = fieldsBelow(fragments, field, nodes)
    if (!below) return undefined
    fields.push({ key, parentType, field, nodes, args: constantArguments(field, node), below })
  }
  return fields
}

/** Adds the fields of a selection set by their response keys, as graphql-js does; returns whether all of it can be planned. */
function collect(
  fragments: Fragments,
  { selections }: SelectionSetNode,
  requested: Map<string, [FieldNode, ...FieldNode[]]>,
  expanded: Set<string>,
): boolean {
  return selections.every((node) => {
    if (node.directives && node.directives.length > 0) return false
    if (node.kind === Kind.FIELD) {
      const key = node.alias?.value ?? node.name.value
      const others = requested.get(key)
      if (others) others.push(node)
      else requested.set(key, [node])
      return key !== '__proto__' // the one key that a plain object does not store
    }
    if (node.kind === Kind.INLINE_FRAGMENT) return collect(fragments, node.selectionSet, requested, expanded)
    const { value: name } = node.name
    if (expanded.has(name)) return true
    expanded.add(name)
    const fragment = fragments.get(name)
    return fragment !== undefined && collect(fragments, fragment.selectionSet, requested, expanded)
  })
}

function fieldNamed(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
  return name === '__typename' ? TypeNameMetaFieldDef : type.getFields()[name]
}

function fieldsBelow(
  fragments: Fragments,
  { type }: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
): readonly PlannedField[] | undefined {
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
  if (sets.length === 0) return []
  const named = getNamedType(type)
  return isObjectType(named) && !named.isTypeOf ? fieldsOf(fragments, named, sets) : undefined
}

const constantArguments = (field: GraphQLField<unknown, unknown>, node: FieldNode) =>
  (node.arguments ?? []).some(({ value }) => hasVariable(value)) ? undefined : getArgumentValues(field, node)

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable)
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => hasVariable(field.value))
  return value.kind === Kind.VARIABLE
}
