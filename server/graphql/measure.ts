import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValueNode,
  visit,
} from 'graphql'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../lib/page.ts'

/** How a list without pages is counted. */
const ASSUMED_LENGTH = 10

const META_FIELDS = new Map([
  ['__schema', SchemaMetaFieldDef],
  ['__type', TypeMetaFieldDef],
])

export type Variables = Readonly<Record<string, unknown>>

/** How large an operation is with its fragments written out. */
export interface Measure {
  /** An object costs 1, times the page size of the lists around it. */
  cost: number
  depth: number
  introspectionDepth: number
  rootFields: number
  /** How often one field stands in one place, at most. */
  repeats: number
}

/** What stands inside one pair of braces. */
interface Part {
  cost: number
  depth: number
  introspectionDepth: number
  fields: ReadonlyMap<string, number>
}

const NOTHING: Part = { cost: 0, depth: 0, introspectionDepth: 0, fields: new Map() }

/** Measures an operation before anything of it is run. Each fragment is followed once, so that none can explode. */
export function measure(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): Measure {
  const fragments = fragmentsOf(document)
  const known = new Map<string, Part>()
  const pageSizeOf = pageSizes(operation, variables)
  let repeats = 0

  const ofFragment = (name: string, pageSize: number): Part => {
    const fragment = fragments.get(name)
    if (!fragment) return NOTHING
    const key = `${name} ${pageSize}`
    const before = known.get(key)
    if (before) return before
    known.set(key, NOTHING) // a fragment inside itself counts nothing here; validation refuses it
    const part = ofSelections(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value), pageSize)
    known.set(key, part)
    return part
  }

  const ofSelections = (set: SelectionSetNode, parent: GraphQLNamedType | undefined, pageSize: number): Part => {
    const fields = new Map<string, number>()
    const total = { ...NOTHING, fields }
    for (const node of set.selections) {
      const part =
        node.kind === Kind.FIELD
          ? ofField(node, parent, pageSize)
          : node.kind === Kind.FRAGMENT_SPREAD
            ? ofFragment(node.name.value, pageSize)
            : ofSelections(node.selectionSet, typeNamed(node.typeCondition?.name.value) ?? parent, pageSize)
      total.cost += part.cost
      total.depth = Math.max(total.depth, part.depth)
      total.introspectionDepth = Math.max(total.introspectionDepth, part.introspectionDepth)
      for (const [name, count] of part.fields) {
        const times = (fields.get(name) ?? 0) + count
        fields.set(name, times)
        repeats = Math.max(repeats, times)
      }
    }
    return total
  }

  const ofField = (node: FieldNode, parent: GraphQLNamedType | undefined, pageSize: number): Part => {
    const name = node.name.value
    const fields = new Map([[node.alias?.value ?? name, 1]])
    if (!node.selectionSet) return { ...NOTHING, depth: 1, fields }
    const field = isObjectType(parent) ? (parent.getFields()[name] ?? META_FIELDS.get(name)) : undefined
    const type = field && getNamedType(field.type)
    const isPaged = field?.args.some((arg) => arg.name === 'first') ?? false
    const inside = ofSelections(node.selectionSet, type, isPaged ? pageSizeOf(node.arguments ?? []) : 0)
    if (type?.name.startsWith('__')) {
      const introspectionDepth = 1 + Math.max(inside.depth, inside.introspectionDepth)
      return { cost: 1 + inside.cost, depth: 0, introspectionDepth, fields }
    }
    const times = field && isListType(getNullableType(field.type)) ? pageSize || ASSUMED_LENGTH : 1
    return { ...inside, cost: times * (1 + inside.cost), depth: 1 + inside.depth, fields }
  }

  const typeNamed = (name: string | undefined) => (name === undefined ? undefined : schema.getType(name))

  const { fields, ...whole } = ofSelections(
    operation.selectionSet,
    schema.getRootType(operation.operation) ?? undefined,
    0,
  )
  for (const name of fragments.keys()) ofFragment(name, 0) // those that are not used are validated all the same
  const rootFields = [...fields.values()].reduce((sum, count) => sum + count, 0)
  return { ...whole, rootFields, repeats }
}

/** How many aliases, directives and fragments a document has, as it is written. */
export function countDecorations(document: DocumentNode) {
  const counts = { aliases: 0, directives: 0, fragments: fragmentsOf(document).size }
  visit(document, {
    Field: (field) => {
      if (field.alias) counts.aliases++
    },
    Directive: () => {
      counts.directives++
    },
  })
  return counts
}

/** Whether the cost depends on the variables. */
export function hasVariablePageSize(document: DocumentNode): boolean {
  let found = false
  visit(document, {
    Argument: (argument) => {
      if (argument.name.value === 'first' && argument.value.kind === Kind.VARIABLE) found = true
    },
  })
  return found
}

function pageSizes(operation: OperationDefinitionNode, variables: Variables) {
  const defaults = new Map(operation.variableDefinitions?.map((node) => [node.variable.name.value, node.defaultValue]))
  const numberOf = (value: ValueNode | undefined): number => {
    if (value?.kind === Kind.INT) return Number(value.value)
    if (value?.kind !== Kind.VARIABLE) return DEFAULT_PAGE_SIZE
    const given = variables[value.name.value]
    return typeof given === 'number' ? given : numberOf(defaults.get(value.name.value))
  }
  return (args: readonly ArgumentNode[]) => {
    const first = args.find((arg) => arg.name.value === 'first')
    return Math.min(Math.max(numberOf(first?.value), 1), MAX_PAGE_SIZE)
  }
}

const fragmentsOf = (document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> =>
  new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  )
