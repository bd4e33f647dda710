import { type GraphQLObjectType, type GraphQLSchema, getIntrospectionQuery, getNamedType, isObjectType } from 'graphql'
import type { StoredKind } from '../../server/db/byte-budgets.ts'
import { between, oneOf, type Random } from '../fault/random.ts'
import type { Call, GraphqlCall } from './call.ts'
import type { Caller } from './callers.ts'
import { dearPath, fieldsOf, isComposite, isPaged, needsNothing } from './dear-path.ts'
import { atTurn, turnsBefore } from './turns.ts'
import type { Known } from './values.ts'

const MAX_DEPTH = 10
const MOST_ROOT_FIELDS = 20
const PAGES = [500, 100, 20, 5, 1]

/** How calls are sent and watched, where it is not all at once and until they are answered. */
export interface Manner {
  /** One after the other, and what they leave in the database is held against the points that they took. */
  inTurn?: boolean
  /** So long it is watched what the portal does after the answers. */
  watchMs?: number
  /** So long each call is sent again and again, and it is judged for how many turns the bystander's writes wait when all have had their first. */
  steadyMs?: number
  /** How much of a core it may need meanwhile, beyond what the bystander takes: for all that goes on by itself after a call. */
  mostShare?: number
  /** How long it may compute for each of the calls. */
  mostOfCallMs?: number
  /** What the organization has used up: the last call takes access away and goes on, all others are refused. */
  usedUp?: UsedUp
}

/** What somebody sends. */
export interface Sending {
  caller: Caller
  worst: Worst
}

/** What an organization may store no more of. */
export interface UsedUp {
  organizationId: string
  kind: StoredKind
}

/** As dear as the limits allow: the same document in ever smaller sizes, of which the first that is accepted counts. */
export interface Worst<Sent extends Call = Call> extends Manner {
  shape: string
  /** The largest size first; each gives the calls that are sent at once, all by one caller. */
  sizes: readonly number[]
  /** What writes has other values in each attempt: what is there already would not be written again. */
  callsOf(size: number, attempt?: number): Sent[]
  /** What others send at the same time. */
  beside?: readonly { caller: Caller; call: Call }[]
}

interface Options {
  random: Random
  known: Known
  seed: number
}

/** How often this shape came before: with it, one list after the other has its turn. */
type Place = Options & { place: number }

type Shape = (schema: GraphQLSchema, options: Place) => Omit<Worst<GraphqlCall>, 'shape'>

/** Lists inside lists, `totalCount` on each, down to the deepest level; where that is refused, less deep and with smaller pages. */
const nested: Shape = (schema, { random, known, ...turn }) => {
  const field = nextOf(listsOf(schema, known), turn)
  const deepest = between(random, 4, MAX_DEPTH - 1) // the fields that tell something come below
  const seed = random()
  const plans = [deepest, deepest - 2, deepest - 4]
    .filter((depth) => depth > 2)
    .flatMap((depth) => PAGES.map((first) => ({ depth, first })))
  return {
    sizes: plans.map((_, i) => plans.length - i),
    callsOf(size) {
      const plan = plans[plans.length - size] ?? { depth: 3, first: 1 }
      return [{ query: `{ ${dearPath(field, { random: fixed(seed), known, ...plan })} }` }]
    },
  }
}

/** One expensive list as often as a document may hold it, each time with other filters. */
const aliases: Shape = (schema, { random, known, ...turn }) => {
  const field = nextOf(listsOf(schema, known), turn)
  const first = oneOf(random, [1, 20, 100, 500])
  const seed = random()
  const copies = (count: number) => {
    const own = fixed(seed)
    return Array.from({ length: count }, (_, i) => `a${i}: ${dearPath(field, { random: own, known, first, depth: 2 })}`)
  }
  return { sizes: descending(MOST_ROOT_FIELDS), callsOf: (count) => [{ query: `{ ${copies(count).join(' ')} }` }] }
}

/** Everything that can be read, in one document. */
const everything: Shape = (schema, { random, known }) => {
  const fields = fieldsOf(queryOf(schema)).filter(isComposite).filter(needsNothing)
  const depth = between(random, 3, 8)
  const seed = random()
  const paths = (first: number) => fields.map((field) => dearPath(field, { random: fixed(seed), known, first, depth }))
  return { sizes: descending(100), callsOf: (first) => [{ query: `{ ${paths(first).join(' ')} }` }] }
}

/** Operations that nobody asks for, beside the one that is run; in each document they have other names. */
const operations: Shape = (_schema, { random }) => {
  const body = oneOf(random, ['{__typename}', '{viewer{role}}', '{devices{totalCount}}', '{...F}'])
  const salt = between(random, 0, 1e9)
  const others = (count: number) => Array.from({ length: count }, (_, i) => `query o${i}${body}`)
  const fragment = body === '{...F}' ? ' fragment F on Query{viewer{role}}' : ''
  return {
    sizes: descending(398),
    callsOf: (count) =>
      volley(4, (i) => ({
        query: `query a${salt + i}{__typename} ${others(count).join(' ')}${fragment}`,
        operationName: `a${salt + i}`,
      })),
  }
}

/** Long documents that nobody has sent before, each twice. */
const unseen: Shape = (schema, { random, known }) => {
  const fields = fieldsOf(queryOf(schema)).filter(isComposite).filter(needsNothing)
  const salt = between(random, 0, 1e9)
  const seed = random()
  const part = (i: number, own: Random, depth: number) =>
    `...on Query{a${i}: ${dearPath(oneOf(own, fields), { random: own, known, first: 1, depth })}}`
  const document = (count: number, i: number) => {
    const own = fixed(seed)
    return { query: `query n${salt + i} { ${Array.from({ length: count }, (_, j) => part(j, own, 6)).join(' ')} }` }
  }
  return {
    sizes: descending(MOST_ROOT_FIELDS),
    callsOf: (count) => volley(10, (i) => document(count, Math.floor(i / 2))),
  }
}

/** Fragments in fragments, all with the same fields, which validation compares with each other. */
const fragments: Shape = (schema, { random }) => {
  const device = schema.getType('Device')
  const salt = between(random, 0, 1e9)
  const names = isObjectType(device)
    ? fieldsOf(device)
        .filter((field) => !isComposite(field))
        .map(({ name }) => name)
    : []
  const chain = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      const next = i + 1 < count ? ` ...F${i + 1}` : ''
      return `fragment F${i} on Device { ${names.join(' ')}${next} }`
    })
  return {
    sizes: descending(50),
    callsOf: (count) =>
      volley(4, (i) => ({
        query: `query n${salt + i} { devices(first: 1) { data { ${chain(count)
          .map((_, k) => `...F${k}`)
          .join(' ')} } } } ${chain(count).join(' ')}`,
      })),
  }
}

/** The schema itself, as deep as it can be asked for, in documents that are new each time. */
const introspection: Shape = (_schema, { random }) => {
  const salt = between(random, 0, 1e9)
  const text = getIntrospectionQuery().replace('query IntrospectionQuery', '')
  return { sizes: [1], callsOf: () => volley(4, (i) => ({ query: `query n${salt + i} ${text}` })) }
}

const SHAPES = { nested, aliases, everything, operations, unseen, fragments, introspection }

/** What is likely to be dear comes more often. */
const TURNS: readonly (keyof typeof SHAPES)[] = [
  'nested',
  'aliases',
  'unseen',
  'nested',
  'operations',
  'aliases',
  'everything',
  'nested',
  'aliases',
  'fragments',
  'introspection',
]

export function worstDocument(schema: GraphQLSchema, turn: number, options: Options): Worst<GraphqlCall> {
  const shape = atTurn(TURNS, turn)
  return { shape, ...SHAPES[shape](schema, { ...options, place: turnsBefore(TURNS, turn) }) }
}

/** Each once before one comes again, beginning anywhere. */
function nextOf<Item>(items: readonly Item[], { seed, place }: { seed: number; place: number }): Item {
  return atTurn(items, seed + place)
}

/** Root fields that lead to lists, paged or not, with nothing to know beforehand but an id of one's own. */
function listsOf(schema: GraphQLSchema, { dearIds = {} }: Known) {
  return fieldsOf(queryOf(schema)).filter((field) => {
    const type = getNamedType(field.type)
    const hasLists = isObjectType(type) && fieldsOf(type).some(isComposite)
    return (needsNothing(field) || field.name in dearIds) && isComposite(field) && (isPaged(field) || hasLists)
  })
}

function queryOf(schema: GraphQLSchema): GraphQLObjectType {
  const type = schema.getQueryType()
  if (!type) throw new Error('The schema has no query.')
  return type
}

const volley = (count: number, callAt: (i: number) => GraphqlCall) => Array.from({ length: count }, (_, i) => callAt(i))

/** From the largest down to one, each about two thirds of the one before. */
function descending(largest: number): number[] {
  const sizes: number[] = []
  for (let size = largest; size >= 1; size = Math.floor(size * 0.66)) sizes.push(size)
  return sizes
}

/** Makes the same choices for every size of a document. */
function fixed(seed: number): Random {
  let state = Math.floor(seed * 2 ** 32)
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
