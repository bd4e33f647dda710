import { buildSchema, execute, type GraphQLSchema, Kind, parse } from 'graphql'
import { describe, expect } from 'vitest'
import { createRandom } from '../../test/fault/random.ts'
import type { GraphqlCall } from '../../test/fuzz/call.ts'
import { generateDocument } from '../../test/fuzz/document.ts'
import { SEEN } from '../../test/fuzz/seen-documents.ts'
import { trickyDocument } from '../../test/fuzz/tricky-document.ts'
import { knownOf } from '../../test/fuzz/world.ts'
import { inWorld } from '../../test/support/fixtures.ts'
import { operationsOf } from '../../test/support/operations.ts'
import { adminCtx } from '../../test/support/request-ctx.ts'
import { seed } from '../../test/support/seed.ts'
import { startWorld } from '../../test/support/world.ts'
import { schema } from '../schema.ts'
import type { RequestCtx } from './builder.ts'
import { runSimpleQuery } from './simple-query.ts'

const it = inWorld(startWorld).extend('devices', { scope: 'file', auto: true }, async ({ call }) => {
  for (const name of ['edge-1', 'edge-2', 'Edge-3']) {
    const input = { name, tags: ['a', name], location: { name: 'Lyon', latitude: 45.7, timeZone: 'Europe/Paris' } }
    await call('mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }', { input })
  }
})

it('answers as graphql-js does, to the byte, or leaves it to it: documents of clients, and generated ones', async ({
  world,
  acme,
}) => {
  const random = createRandom(seed)
  const known = { ...knownOf(), tags: ['a', 'edge-1'] }
  const generated = Array.from({ length: 200 }, (_, i) =>
    generateDocument(schema, { random, known, isTame: i % 3 > 0, operation: 'query' }),
  )
  const tricky = Array.from({ length: 400 }, () => trickyDocument(random))
  const find = operationsOf(schema)
  const affordable = (query: string, name: string | null, variables: Record<string, unknown>) => {
    try {
      const operation = find(query, name)
      operation.costWith(variables)
      return operation
    } catch {
      return undefined // refused before it runs
    }
  }
  const ctx = await adminCtx(world, acme)
  const counts = { invalid: 0, 'not simple': 0, failed: 0, same: 0 }
  for (const { query, variables = {}, operationName = null } of [...generated, ...SEEN, ...tricky] as GraphqlCall[]) {
    const operation = affordable(query, operationName, variables)
    if (!operation) {
      counts.invalid++
      continue
    }
    if (operation.node.operation !== 'query') continue
    ctx.cost = operation.costWith(variables)
    const simple = await simply(schema, operation.document, ctx, operation.node)
    if (simple.startsWith('{')) {
      counts.same++
      const plain = await execute({ schema, document: operation.document, contextValue: ctx, operationName })
      expect(simple, `seed ${seed}: ${query}`).toBe(JSON.stringify(plain))
    } else counts[simple as 'not simple' | 'failed']++
  }
  expect(counts.same, JSON.stringify({ seed, ...counts })).toBeGreaterThan(30)
})

const TOY = buildSchema(`
  type Query { text: String! none: String soon: String! never: String! list: [Item!] holes: [Item] lists: [[Int!]!]!
    item(n: Int = 7): Item! odd: Int thing: Item error: String set: [String!]! wrong: Item bad: Item! worse: Item! }
  type Item { n: Int! soon: Int! bad: Int! below: Item items: [Item!]! }
`)

interface Item {
  n: unknown
  soon: () => Promise<number>
  bad: () => Promise<never>
  items: Item[]
}

const item = (n: unknown, items: Item[] = []): Item => ({
  n,
  soon: async () => Number(n),
  bad: async () => Promise.reject(new Error('bad')),
  items,
})

const ROOT: Record<string, unknown> = {
  text: () => 'text',
  none: () => null,
  soon: async () => 'soon',
  never: () => null,
  list: () => [item(1), Promise.resolve(item(2))],
  holes: () => [item(1), null, undefined],
  lists: () => [[1, 2], [], [3]],
  item: ({ n }: { n: number }) => item(n, [item(1), item(2)]),
  odd: () => 'not a number',
  // biome-ignore lint/suspicious/noThenProperty: as some libraries return it
  thing: () => ({ then: (done: (value: Item) => void) => done(item(3)) }),
  error: () => new Error('returned'),
  set: () => new Set(['a']),
  wrong: () => new Error('returned'),
  bad: () => {
    throw new Error('at once')
  },
  worse: async () => Promise.reject(new Error('later')),
}
for (const [name, field] of Object.entries(TOY.getQueryType()?.getFields() ?? {})) {
  field.resolve = (_source, args: { n: number }) => (ROOT[name] as (args: { n: number }) => unknown)(args)
}

async function simply(
  of: GraphQLSchema,
  document = parse('{ a }'),
  ctx = {} as RequestCtx,
  node = operationIn(document),
) {
  try {
    const result = await runSimpleQuery(of, node, ctx)
    return result ? JSON.stringify(result) : 'not simple'
  } catch {
    return 'failed'
  }
}

function operationIn({ definitions }: ReturnType<typeof parse>) {
  const node = definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  if (node?.kind !== Kind.OPERATION_DEFINITION) throw new Error('There is no operation.')
  return node
}

describe('of a schema where anything can happen', () => {
  it.for([
    '{ text none soon }',
    '{ soon text none }',
    '{ list { n soon } text }',
    '{ holes { n soon } }',
    '{ lists }',
    '{ item { n items { soon n } __typename } }',
    '{ a: item(n: 1) { n } c: item { n } constructor: text toJSON: text }',
    '{ thing { n soon } }',
    '{ __typename }',
  ])('the same answer: %s', async (text) => {
    const document = parse(text)
    const plain = await execute({ schema: TOY, document })
    expect(plain.errors).toBeUndefined()
    expect(await simply(TOY, document)).toBe(JSON.stringify(plain))
  })

  it.for([
    '{ never }',
    '{ odd }',
    '{ error }',
    '{ wrong { __typename } }',
    '{ soon never }',
    '{ worse { n } bad { n } }',
    '{ soon bad { n } worse { n } }',
    '{ item { items { bad } } never }',
    '{ list { bad soon } }',
    '{ list { n } worse { n } }',
  ])('left to graphql-js, and no rejection is unhandled: %s', async (text) => {
    expect((await execute({ schema: TOY, document: parse(text) })).errors).toBeDefined()
    expect(await simply(TOY, parse(text))).toBe('failed')
  })

  it('a list that is no array is left to graphql-js', async () => {
    expect(await execute({ schema: TOY, document: parse('{ set }') })).toEqual({ data: { set: ['a'] } })
    expect(await simply(TOY, parse('{ set }'))).toBe('failed')
  })

  it.for([
    '{ text @skip(if: true) }',
    '{ text text }',
    '{ ... { text } }',
    '{ ...F } fragment F on Query { text }',
    '{ __proto__: text }',
    '{ __schema { types { name } } }',
    '{ item { ... on Item { n } } }',
    'query ($n: Int) { item(n: $n) { n } }',
    'query @skip(if: true) { text }',
  ])('not simple: %s', async (text) => {
    expect(await simply(TOY, parse(text))).toBe('not simple')
  })
})
