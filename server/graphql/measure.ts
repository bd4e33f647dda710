import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql'
import { MAX_PAGE_SIZE } from '../lib/page.ts'
import { COST_OF_MUTATION, COST_OF_SEARCH, FIELDS_OF_AN_OBJECT } from './cost.ts'
import { readArguments, type Variables } from './page-arguments.ts'

const META_FIELDS = new Map([
  ['__schema', SchemaMetaFieldDef],
  ['__type', TypeMetaFieldDef],
])

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/** How large an operation is with its fragments expanded. */
export interface Measure {
  /** What it reads in the worst case: see cost.ts, and the table in docs/api.md. */
  cost: number
  depth: number
  introspectionDepth: number
  rootFields: number
  /** How many fields it has. */
  size: number
}

/** What is inside one pair of braces. */
interface Part {
  cost: number
  /** What one entry costs of the page around it. */
  itemCost: number
  depth: number
  introspectionDepth: number
  size: number
  /** Fields without fields of their own. */
  leaves: number
  /** At this level alone. */
  fields: number
}

const NOTHING: Part = { cost: 0, itemCost: 0, depth: 0, introspectionDepth: 0, size: 0, leaves: 0, fields: 0 }

/** A field without fields of its own, and without a cost. */
const LEAF: Part = { ...NOTHING, depth: 1, size: 1, leaves: 1, fields: 1 }

/** Measures an operation before any of it runs. Each fragment is followed once, so that none can explode. */
export function measure(
  schema: GraphQLSchema,
  fragments: Fragments,
  operation: OperationDefinitionNode,
  variables: Variables,
): Measure {
  const known = new Map<string, Part>()
  const argumentsOf = readArguments(operation, variables)
  let introspectionLengths: ReadonlyMap<string, number> | undefined

  const ofFragment = (name: string): Part => {
    const fragment = fragments.get(name)
    if (!fragment) return NOTHING
    const before = known.get(name)
    if (before) return before
    known.set(name, NOTHING) // a fragment inside itself counts nothing here; validation refuses it
    const part = ofSelections(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value))
    known.set(name, part)
    return part
  }

  const ofSelections = (set: SelectionSetNode, parent: GraphQLNamedType | undefined): Part => {
    const total = { ...NOTHING }
    for (const node of set.selections) {
      const part =
        node.kind === Kind.FIELD
          ? ofField(node, parent)
          : node.kind === Kind.FRAGMENT_SPREAD
            ? ofFragment(node.name.value)
            : ofSelections(node.selectionSet, typeNamed(node.typeCondition?.name.value) ?? parent)
      add(total, part)
    }
    return total
  }

  const ofField = (node: FieldNode, parent: GraphQLNamedType | undefined): Part => {
    const name = node.name.value
    const field = isObjectType(parent) ? (parent.getFields()[name] ?? META_FIELDS.get(name)) : undefined
    const own = field?.extensions.cost?.own ?? (parent === schema.getMutationType() ? COST_OF_MUTATION : 0)
    if (!node.selectionSet) return own === 0 ? LEAF : { ...LEAF, cost: own }
    const type = field && getNamedType(field.type)
    const inside = ofSelections(node.selectionSet, type)
    const part = { ...inside, size: inside.size + 1, leaves: 0, fields: 1 }
    if (type?.name.startsWith('__')) {
      introspectionLengths ??= lengthsIn(schema)
      const times = introspectionLengths.get(name) ?? 1
      const introspectionDepth = 1 + Math.max(inside.depth, inside.introspectionDepth)
      const cost = times * costOfObject(inside) + Math.max(times, 1) * inside.cost
      return { ...part, cost, depth: 0, introspectionDepth }
    }
    return { ...part, ...costOfField(node, field, inside, own), depth: 1 + inside.depth }
  }

  const costOfField = (
    node: FieldNode,
    field: GraphQLField<unknown, unknown> | undefined,
    inside: Part,
    own: number,
  ): Pick<Part, 'cost' | 'itemCost'> => {
    const { maxItems = 1, weight = 1, isPage = false, costOfInput } = field?.extensions.cost ?? {}
    if (costOfInput !== undefined) {
      const { inputs } = argumentsOf(node, field)
      return { cost: own + inputs * (costOfInput + inside.itemCost) + inside.cost, itemCost: 0 }
    }
    const { first, isSearched } = field?.args.some(isFirst) ? argumentsOf(node, field) : NO_PAGES
    const each = weight * costOfObject(inside) + inside.cost + first * inside.itemCost
    if (isPage) return { cost: own, itemCost: each }
    return { cost: own + (isSearched ? COST_OF_SEARCH : 0) + maxItems * each, itemCost: 0 }
  }

  const typeNamed = (name: string | undefined) => (name === undefined ? undefined : schema.getType(name))

  const whole = ofSelections(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined)
  const { cost, depth, introspectionDepth, size, fields: rootFields } = whole
  return { cost: Math.ceil(cost), depth, introspectionDepth, size, rootFields }
}

/** A page without a size counts as the largest. */
const NO_PAGES = { first: MAX_PAGE_SIZE, isSearched: false }
const isFirst = ({ name }: { name: string }) => name === 'first'

const costOfObject = ({ leaves }: Part) => Math.max(1, Math.ceil(leaves / FIELDS_OF_AN_OBJECT))

function add(total: { -readonly [Name in keyof Part]: Part[Name] }, part: Part): void {
  total.cost += part.cost
  total.itemCost += part.itemCost
  total.size += part.size
  total.leaves += part.leaves
  total.fields += part.fields
  total.depth = Math.max(total.depth, part.depth)
  total.introspectionDepth = Math.max(total.introspectionDepth, part.introspectionDepth)
}

/** How many entries the lists of introspection have: all types, and for the other lists the average of a type. */
function lengthsIn(schema: GraphQLSchema): ReadonlyMap<string, number> {
  const types = Object.values(schema.getTypeMap())
  const fields = types.filter(isObjectType).flatMap((type) => Object.values(type.getFields()))
  const inputFields = types.filter(isInputObjectType).flatMap((type) => Object.values(type.getFields()))
  const values = types.filter(isEnumType).flatMap((type) => type.getValues())
  const onAverage = (count: number, among: number) => Math.max(1, Math.ceil(count / among))
  return new Map([
    ['types', types.length],
    ['fields', onAverage(fields.length, types.length)],
    ['inputFields', onAverage(inputFields.length, types.length)],
    ['enumValues', onAverage(values.length, types.length)],
    ['args', onAverage(fields.flatMap(({ args }) => args).length, fields.length)],
    ['directives', schema.getDirectives().length],
    ['ofType', 0.1], // most types are not wrapped, and most wrapped ones only once or twice
  ])
}

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const node of definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
  return fragments
}
