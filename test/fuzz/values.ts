import {
  type GraphQLInputType,
  type GraphQLNullableType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import { between, oneOf, type Random } from '../fault/random.ts'
import { EDGES } from './edge-values.ts'

/** What a caller could know of the world: values that lead somewhere. */
export interface Known {
  /** Ids of things of all organizations, and of some that were deleted. */
  ids: readonly string[]
  tags: readonly string[]
  /** Cursors that lists have given, each to somebody. */
  cursors: readonly string[]
  actions: readonly string[]
  /** For root fields that take an id: the one with the most behind it, of the organization that the dearest documents are sent to. */
  dearIds?: Readonly<Record<string, string>>
}

export interface ValueOptions {
  random: Random
  known: Known
  /** Only values that any caller might send by right: the document is valid then. */
  isTame: boolean
}

const TAME_TEXTS = ['e', 'edge', 'Hamburg', 'gateway-7', 'x']
const TAME_MOMENTS = ['2026-01-01T00:00:00Z', '2026-11-15T14:03:00+01:00', '2027-01-01T00:00:00Z']
const TAME_INTS = [1, 2, 10, 100, 500]
const TAME_LENGTHS = [0, 1, 2, 4]
const EMAILS = [
  'ada@example.com',
  'ADA@EXAMPLE.COM',
  `${'x'.repeat(250)}@example.com`,
  'a@b',
  '"a b"@example.com',
  'ä@ü.example',
]

/** A value for an argument or an input field, as JSON; its name tells what it is about. */
export function valueFor(name: string, type: GraphQLInputType, options: ValueOptions): unknown {
  const { random, isTame } = options
  if (!isTame && random() < 0.04) return oneOf(random, EDGES.misfit)
  if (!isNonNullType(type) && random() < (isTame ? 0.05 : 0.1)) return null
  return plainValue(name, getNullableType(type), options)
}

function plainValue(name: string, type: GraphQLNullableType & GraphQLInputType, options: ValueOptions): unknown {
  const { random, isTame } = options
  if (isListType(type)) {
    const length = oneOf(random, isTame || random() < 0.8 ? TAME_LENGTHS : EDGES.listLength)
    return Array.from({ length }, () => valueFor(name, type.ofType, options))
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter((field) => isNonNullType(field.type) || random() < 0.4)
    return Object.fromEntries(fields.map((field) => [field.name, valueFor(field.name, field.type, options)]))
  }
  if (isEnumType(type)) return oneOf(random, type.getValues()).name
  return scalar(name, type.name, options)
}

function scalar(name: string, type: string, { random, known, isTame }: ValueOptions): unknown {
  const pick = (tame: readonly unknown[], edges: readonly unknown[]) =>
    oneOf(random, isTame || random() < 0.5 ? tame : edges)
  switch (type) {
    case 'Boolean':
      return random() < 0.5
    case 'Int':
      return pick(TAME_INTS, EDGES.int)
    case 'Float':
      return pick([53.5, 9.9], EDGES.float)
    case 'DateTime':
      return pick(TAME_MOMENTS, EDGES.moment)
    case 'ID':
      return random() < 0.8 ? oneOf(random, known.ids) : pick(known.ids, EDGES.id)
    default:
      return pick(textsFor(name, known, random), name === 'after' ? EDGES.cursor : EDGES.text)
  }
}

function textsFor(name: string, { tags, cursors, actions }: Known, random: Random): readonly string[] {
  if (name === 'after') return cursors
  if (name === 'tags') return tags
  if (name === 'action') return actions
  if (name === 'email') return EMAILS
  if (name === 'allowedNetworks') return ['127.0.0.1', '0.0.0.0/0', '::/0', '10.0.0.0/8', '999.1.1.1', '::/129']
  if (name === 'name' || name === 'label') return [`thing ${between(random, 1, 1e6)}`, ...TAME_TEXTS]
  return TAME_TEXTS
}
