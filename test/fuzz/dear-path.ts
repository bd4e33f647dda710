import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { oneOf, type Random } from '../fault/random.ts'
import { literal } from './literal.ts'
import type { Known } from './values.ts'

type Field = GraphQLField<unknown, unknown>

export interface Dear {
  random: Random
  known: Known
  /** The size of every page on the way. */
  first: number
  /** How many levels of fields. */
  depth: number
}

export const fieldsOf = (type: GraphQLObjectType): Field[] => Object.values(type.getFields())

export const isComposite = (field: Field) => !isLeafType(getNamedType(field.type))
const isList = (field: Field) => isListType(getNullableType(field.type))
export const isPaged = ({ args }: Field) => args.some(({ name }) => name === 'first')
export const needsNothing = ({ args }: Field) =>
  args.every(({ type, defaultValue }) => !isNonNullType(type) || defaultValue !== undefined)

/** A way down through as many lists as there are, one inside the other, with all that each level can tell by itself. */
export function dearPath(field: Field, dear: Dear): string {
  const type = getNamedType(field.type)
  const head = `${field.name}${dearArguments(field, dear)}`
  if (!isObjectType(type)) return head
  const leaves = fieldsOf(type).filter((each) => !isComposite(each) && needsNothing(each))
  const next = dear.depth > 1 ? dearest(type, dear.random) : undefined
  const told = [
    ...leaves.map(({ name }) => name),
    ...(next ? [dearPath(next, { ...dear, depth: dear.depth - 1 })] : []),
  ]
  return `${head} { ${told.join(' ') || '__typename'} }`
}

/** Lists first, most of all those behind which there is a circle. */
function dearest(parent: GraphQLObjectType, random: Random): Field | undefined {
  const fields = fieldsOf(parent).filter(isComposite).filter(needsNothing)
  if (fields.length === 0) return undefined
  const weight = (field: Field) => (isList(field) ? 16 : 1) * (hasCircle(field) ? 8 : 1)
  return oneOf(
    random,
    fields.flatMap((field) => Array<Field>(weight(field)).fill(field)),
  )
}

/** Everything that can be asked for below a field. */
function typesBelow(field: Field): Set<GraphQLObjectType> {
  const below = new Set<GraphQLObjectType>()
  const open = [getNamedType(field.type)]
  for (let type = open.pop(); type; type = open.pop()) {
    if (!isObjectType(type) || below.has(type)) continue
    below.add(type)
    open.push(...fieldsOf(type).map((each) => getNamedType(each.type)))
  }
  return below
}

/** Whether a document can go round and round behind this field: back to something that it has passed. */
const hasCircle = (field: Field) =>
  [...typesBelow(field)].some((type) => fieldsOf(type).some((each) => typesBelow(each).has(type)))

/** Every filter that leaves many, by several values where it takes several. */
function dearArguments(field: Field, { random, known, first }: Dear): string {
  const filter = {
    ...(random() < 0.8 && { tags: known.tags.slice(0, oneOf(random, [1, 2, 4])) }),
    ...(random() < 0.3 && { enabled: true }),
    ...(random() < 0.3 && { status: oneOf(random, ['ONLINE', 'OFFLINE']) }),
    ...(random() < 0.3 && { action: oneOf(random, known.actions) }),
    ...(random() < 0.5 && { since: '2001-01-01T00:00:00Z' }),
    ...(random() < 0.3 && { unusedForDays: 1 }),
  }
  const values: Record<string, unknown> = {
    first,
    search: random() < 0.7 ? oneOf(random, ['', 'e', 'ed', 'zz']) : undefined,
    filter: random() < 0.8 ? filter : undefined,
    input: { maxKeys: 1, maxLifetimeDays: 1, expiryRequired: true, labelRequired: true },
    id: known.dearIds?.[field.name],
    by: 'HOUR',
    since: '2001-01-01T00:00:00Z',
  }
  const given = field.args.flatMap(({ name, type }) => {
    const value = values[name]
    return value === undefined ? [] : [`${name}: ${literal(fitting(value, type), type)}`]
  })
  return given.length === 0 ? '' : `(${given.join(', ')})`
}

/** Only what the input type has. */
function fitting(value: unknown, type: Field['args'][number]['type']): unknown {
  const named = getNamedType(type)
  if (typeof value !== 'object' || value === null || !('getFields' in named)) return value
  const names = Object.keys(named.getFields())
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))
}
