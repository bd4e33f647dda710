import { buildSchema, type ExecutionResult, execute, Kind, parse } from 'graphql'
import { expect, it } from 'vitest'
import type { RequestCtx } from './builder.ts'
import { fragmentsOf } from './measure.ts'
import { planQuery } from './plan.ts'
import type { Operation } from './prepared-operations.ts'
import { runPlan } from './run-plan.ts'

/* A schema where anything can happen. That the portal's own is answered alike is shown in run-operation.long.test.ts. */

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

function planOf(text: string) {
  const document = parse(text)
  const node = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  if (node?.kind !== Kind.OPERATION_DEFINITION) throw new Error('There is no operation.')
  return { document, node, plan: planQuery(TOY, fragmentsOf(document), node) }
}

async function runBoth(text: string): Promise<[string, string]> {
  const { document, node, plan } = planOf(text)
  if (!plan) throw new Error('There is no plan.')
  const operation = { schema: TOY, node } as Operation // nothing else of it is used
  return [
    inOrder(await runPlan(plan, operation, {} as RequestCtx, {})),
    inOrder(await execute({ schema: TOY, document })),
  ]
}

function inOrder({ data, errors }: ExecutionResult): string {
  const told = errors?.map(({ message, path, locations }) => JSON.stringify({ message, path, locations }))
  return JSON.stringify({ data, errors: told?.toSorted() })
}

it.for([
  '{ text none soon }',
  '{ soon text none }',
  '{ list { n soon } text }',
  '{ holes { n soon } }',
  '{ lists }',
  '{ item { n items { soon n } __typename } }',
  '{ a: item(n: 1) { n } c: item { n } constructor: text toJSON: text }',
  '{ ...F ...F } fragment F on Query { error }',
  '{ item { n } item { items { n } } ...F } fragment F on Query { item { soon } ... { item { n } } text }',
  '{ thing { n soon } }',
  '{ set }',
  '{ __typename }',
  '{ odd text }',
  '{ error text }',
  '{ wrong { __typename } soon }',
  '{ item { n } set odd error wrong { n } thing { n } }',
  '{ never }',
  '{ soon never }',
  '{ list { bad n } text }',
  '{ thing { items { bad } } soon }',
  '{ list { items { bad } } wrong { n } }',
  '{ worse { n } bad { n } }',
  '{ soon bad { n } worse { n } }',
  '{ list { n } worse { n } }',
  '{ a: list { bad } b: list { soon } c: holes { below { bad } } }',
])('the same answer as that of graphql-js, and no rejection is unhandled: %s', async (text) => {
  const [planned, plain] = await runBoth(text)
  expect(planned).toBe(plain)
})

it('a field is read once, also where another one fails', async () => {
  let reads = 0
  const { text } = TOY.getQueryType()?.getFields() ?? {}
  const resolve = text?.resolve
  if (!text || !resolve) throw new Error('There is no such field.')
  text.resolve = () => {
    reads++
    return 'text'
  }
  await runBoth('{ text }')
  const once = reads / 2
  const { node, plan } = planOf('{ text odd error bad { n } }')
  if (plan) await runPlan(plan, { schema: TOY, node } as Operation, {} as RequestCtx, {})
  text.resolve = resolve
  expect([once, reads]).toEqual([1, 3])
})

it.for([
  '{ text @skip(if: true) }',
  '{ ... @include(if: true) { text } }',
  '{ ...F @include(if: true) } fragment F on Query { text }',
  '{ __proto__: text }',
  '{ __schema { types { name } } }',
])('left to graphql-js: %s', (text) => {
  expect(planOf(text).plan).toBeUndefined()
})
