import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { GraphqlCall } from './call.ts'
import { fieldsOf, isComposite, needsNothing } from './dear-path.ts'
import { EDGES } from './edge-values.ts'
import { literal } from './literal.ts'
import { type ValueOptions, valueFor } from './values.ts'

type Field = GraphQLField<unknown, unknown>

/** One argument, or one field of its input, and one value for it at the edge of its type. */
export interface Target {
  operation: 'query' | 'mutation'
  /** How to come to the field: opening parts of selections, the first at the root. */
  way: readonly string[]
  field: Field
  argument: GraphQLArgument
  /** Which field of the input; empty: the argument itself. */
  path: readonly string[]
  value: unknown
}

/** Every argument and every input field of the schema with every value at the edges of its type, and with what does not fit. */
export function sweepTargets(schema: GraphQLSchema): Target[] {
  const places = [
    ...rootFields(schema, 'query').map((field) => ({ operation: 'query' as const, way: [], field })),
    ...rootFields(schema, 'mutation').map((field) => ({ operation: 'mutation' as const, way: [], field })),
    ...nestedFields(schema).map((place) => ({ operation: 'query' as const, ...place })),
  ]
  return places.flatMap(({ operation, way, field }) =>
    field.args.flatMap((argument) =>
      inputPaths(argument.type).flatMap(({ path, type }) =>
        edgesOf(path.at(-1) ?? argument.name, type).map((value) => ({ operation, way, field, argument, path, value })),
      ),
    ),
  )
}

const rootFields = (schema: GraphQLSchema, operation: 'query' | 'mutation'): Field[] => {
  const type = operation === 'query' ? schema.getQueryType() : schema.getMutationType()
  return type ? fieldsOf(type) : []
}

/** Fields with arguments below the root, each by the shortest way on which nothing has to be known. */
function nestedFields(schema: GraphQLSchema): { way: string[]; field: Field }[] {
  const ways = new Map<string, string[]>()
  const found: { way: string[]; field: Field }[] = []
  const open = rootFields(schema, 'query').map((field) => ({ way: [] as string[], field }))
  for (let next = open.shift(); next; next = open.shift()) {
    const { way, field } = next
    const type = getNamedType(field.type)
    if (!isObjectType(type) || ways.has(type.name) || !needsNothing(field)) continue
    const here = [...way, `${field.name}${field.args.some(({ name }) => name === 'first') ? '(first: 2)' : ''}`]
    ways.set(type.name, here)
    found.push(
      ...fieldsOf(type)
        .filter(({ args }) => args.length > 0)
        .map((inner) => ({ way: here, field: inner })),
    )
    open.push(
      ...fieldsOf(type)
        .filter(isComposite)
        .map((inner) => ({ way: here, field: inner })),
    )
  }
  return found
}

/** The argument itself where it is a plain value, or else each plain value inside of it. */
function inputPaths(type: GraphQLInputType, path: string[] = []): { path: string[]; type: GraphQLInputType }[] {
  const named = getNamedType(type)
  if (!isInputObjectType(named)) return [{ path, type }]
  return Object.values(named.getFields()).flatMap((field) => inputPaths(field.type, [...path, field.name]))
}

function edgesOf(name: string, type: GraphQLInputType): unknown[] {
  const plain = getNullableType(type)
  if (isListType(plain)) {
    const items = edgesOf(name, plain.ofType)
    return [...items.map((item) => [item]), ...EDGES.listLength.map((length) => Array(length).fill(items[0]))]
  }
  if (isEnumType(plain)) return [...plain.getValues().map((value) => value.name), 'NO_SUCH_NAME', null]
  return [...scalarEdges(name, getNamedType(type).name), ...EDGES.misfit]
}

function scalarEdges(name: string, type: string): readonly unknown[] {
  if (type === 'Int') return EDGES.int
  if (type === 'Float') return EDGES.float
  if (type === 'DateTime') return EDGES.moment
  if (type === 'ID') return EDGES.id
  if (type === 'Boolean') return [true, false]
  return name === 'after' ? EDGES.cursor : EDGES.text
}

/** A document that is about this value: everything else in it is as plain as can be. */
export function sweepDocument(target: Target, options: ValueOptions): GraphqlCall {
  const { operation, way, field, argument, path, value } = target
  const tame = { ...options, isTame: true }
  const others = field.args.filter((each) => each !== argument && isNonNullType(each.type))
  const given = others.map((each) => `${each.name}: ${literal(valueFor(each.name, each.type, tame), each.type)}`)
  const whole = withValue(argument.type, path, value, tame)
  const asked = (text: string) =>
    `${[...way, `${field.name}(${[...given, `${argument.name}: ${text}`].join(', ')})`].join(' { ')}${selectionOf(field)}${' }'.repeat(way.length)}`
  const text = literal(whole, argument.type)
  if (text.length < 2000 && options.random() < 0.5) return { query: `${operation} { ${asked(text)} }` }
  return { query: `${operation} ($value: ${argument.type}) { ${asked('$value')} }`, variables: { value: whole } }
}

/** The value where it belongs, with what else the input needs. */
function withValue(type: GraphQLInputType, path: readonly string[], value: unknown, options: ValueOptions): unknown {
  const [name, ...rest] = path
  const named = getNamedType(type)
  if (name === undefined || !isInputObjectType(named)) return value
  const fields = Object.values(named.getFields()).filter((field) => field.name === name || isNonNullType(field.type))
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      field.name === name ? withValue(field.type, rest, value, options) : valueFor(field.name, field.type, options),
    ]),
  )
}

/** All plain values of what is answered, and of the items of a list. */
function selectionOf(field: Field): string {
  const type = getNamedType(field.type)
  if (!isObjectType(type)) return ''
  const plain = (fields: Field[]) => fields.filter((each) => !isComposite(each)).map(({ name }) => name)
  const items = fieldsOf(type).filter(({ name }) => name === 'data' || name === 'apiKey' || name === 'user')
  const nested = items.map((item) => {
    const inner = getNamedType(item.type)
    return isObjectType(inner) ? `${item.name} { ${plain(fieldsOf(inner)).join(' ')} }` : ''
  })
  return ` { ${[...plain(fieldsOf(type)), ...nested].join(' ') || '__typename'} }`
}
