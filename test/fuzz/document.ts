import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { between, oneOf } from '../fault/random.ts'
import type { GraphqlCall } from './call.ts'
import { literal } from './literal.ts'
import { type ValueOptions, valueFor } from './values.ts'

type Field = GraphQLField<unknown, unknown>

export interface DocumentOptions extends ValueOptions {
  operation: 'query' | 'mutation'
}

const MOST_DEPTH = 12
const LONG_LITERAL = 2000
const ROOT_FIELDS: readonly number[] = [1, 1, 1, 1, 2, 3, 4, 20, 24]

/** What a document gathers while it is written. */
interface Draft {
  schema: GraphQLSchema
  options: DocumentOptions
  variables: { name: string; type: string; value: unknown }[]
  fragments: string[]
  aliases: number
  fieldsLeft: number
}

/** A document of the schema: random fields, each argument with a value of its type, in every way that GraphQL has to write it. */
export function generateDocument(schema: GraphQLSchema, options: DocumentOptions): GraphqlCall {
  const { random, operation, isTame } = options
  const root = operation === 'query' ? schema.getQueryType() : schema.getMutationType()
  if (!root) throw new Error(`The schema has no ${operation}.`)
  const fieldsLeft = oneOf(random, [5, 20, 20, 60, isTame ? 60 : 400])
  const draft: Draft = { schema, options, variables: [], fragments: [], aliases: 0, fieldsLeft }
  const count = oneOf(random, isTame ? ROOT_FIELDS.slice(0, 7) : ROOT_FIELDS)
  const fields = Array.from({ length: count }, () => oneOf(random, Object.values(root.getFields())))
  const depth = between(random, 1, isTame ? 6 : MOST_DEPTH)
  const selections = written(draft, root, fields, depth)
  const definitions = draft.variables.map(({ name, type }) => `$${name}: ${type}`).join(', ')
  const named = random() < 0.3 ? `Named${between(random, 1, 99)}` : undefined
  const head = `${operation} ${named ?? ''}${definitions && `(${definitions})`}`
  const others = !isTame && named && random() < 0.2 ? [`query Other { __typename }`] : []
  return {
    query: [`${head} ${selections}`, ...draft.fragments, ...others].join('\n'),
    ...(draft.variables.length > 0 && {
      variables: Object.fromEntries(draft.variables.map(({ name, value }) => [name, value])),
    }),
    ...(named && { operationName: named }),
  }
}

/** A selection set with these fields; a field that comes twice gets another name. */
function written(draft: Draft, parent: GraphQLObjectType, fields: readonly Field[], depth: number): string {
  const { random } = draft.options
  const seen = new Set<string>()
  const selections = fields.map((field) => {
    const needsAlias = seen.has(field.name) || random() < 0.05
    seen.add(field.name)
    const alias = needsAlias ? `a${draft.aliases++}: ` : ''
    return `${alias}${field.name}${argumentsOf(draft, field)}${directive(draft)}${inside(draft, field, depth)}`
  })
  return wrapped(draft, parent, selections)
}

/** As it is, inside an inline fragment, or in a fragment of its own. */
function wrapped(draft: Draft, { name }: GraphQLObjectType, selections: string[]): string {
  const { random } = draft.options
  const [set, way] = [`{ ${selections.join(' ')} }`, random()]
  if (way < 0.05) return `{ ... on ${name}${directive(draft)} ${set} }`
  if (way > 0.1) return set
  const fragment = `F${draft.fragments.length}`
  draft.fragments.push(`fragment ${fragment} on ${name} ${set}`)
  return `{ ...${fragment}${random() < 0.3 ? ` __typename` : ''} }`
}

function inside(draft: Draft, field: Field, depth: number): string {
  const type = getNamedType(field.type)
  if (!isObjectType(type)) return ''
  const { random } = draft.options
  const all = Object.values(type.getFields()).filter(isSelectable)
  const leaves = all.filter((each) => isLeafType(getNamedType(each.type)))
  const nested = all.filter((each) => !leaves.includes(each))
  const chosen = leaves.filter(() => random() < 0.4)
  if (depth > 1) {
    // A page without its items asks for nothing.
    const items = nested.filter(({ name }) => name === 'data' && random() < 0.8)
    chosen.push(...items, ...nested.filter((each) => !items.includes(each) && random() < 0.3))
  }
  const affordable = chosen.slice(0, Math.max(1, draft.fieldsLeft))
  draft.fieldsLeft -= affordable.length
  if (affordable.length === 0 && leaves.length === 0) return ' { __typename }' // it has objects alone
  const [first = oneOf(random, leaves), ...rest] = affordable
  return ` ${written(draft, type, [first, ...rest], depth - 1)}`
}

const isSelectable = ({ name }: Field) => !name.startsWith('__')

function argumentsOf(draft: Draft, { args }: Field): string {
  const { random } = draft.options
  const given = args.filter(({ type }) => isNonNullType(type) || random() < 0.5)
  return given.length === 0 ? '' : `(${given.map((argument) => argumentOf(draft, argument)).join(', ')})`
}

/** As a literal or by a variable; what is long goes by a variable, or the document would be refused for its length. */
function argumentOf(draft: Draft, { name, type }: GraphQLArgument): string {
  const value = valueFor(name, type, draft.options)
  const text = literal(value, type)
  if (draft.options.random() < 0.5 && text.length < LONG_LITERAL) return `${name}: ${text}`
  return `${name}: $${variable(draft, type, value)}`
}

function variable(draft: Draft, type: GraphQLInputType, value: unknown): string {
  const name = `v${draft.variables.length}`
  draft.variables.push({ name, type: String(type), value })
  return name
}

function directive(draft: Draft): string {
  const { random } = draft.options
  if (random() > 0.03) return ''
  const [name, condition] = random() < 0.5 ? ['include', random() < 0.9] : ['skip', random() < 0.1]
  if (random() < 0.5) return ` @${name}(if: ${condition})`
  const { schema, variables } = draft
  const type = schema.getType('Boolean')
  variables.push({ name: `v${variables.length}`, type: `${type}!`, value: condition })
  return ` @${name}(if: $v${variables.length - 1})`
}
