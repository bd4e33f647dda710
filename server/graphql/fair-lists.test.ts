import { buildSchema, execute, getIntrospectionQuery, isObjectType, parse } from 'graphql'
import { expect, it } from 'vitest'
import type { RequestCtx } from './builder.ts'
import { yieldBetweenLists } from './fair-lists.ts'

/** Answers ten lists, and tells between how many of them others had a turn. */
async function turnsBetween(cost: number): Promise<number> {
  const schema = buildSchema('type Query { all(first: Int): [Item!] } type Item { name: String }')
  const field = schema.getQueryType()?.getFields()['all']
  const seen: number[] = []
  let turn = 0
  let isOver = false
  const others = () => {
    turn++
    if (!isOver) setImmediate(others)
  }
  const name = () => {
    seen.push(turn)
    return 'x'
  }
  if (field) field.resolve = async () => [{ name }]
  setImmediate(others)
  const text = `{ ${Array.from({ length: 10 }, (_, i) => `a${i}: all(first: 1) { name }`).join(' ')} }`
  await execute({
    schema: yieldBetweenLists(schema),
    document: parse(text),
    contextValue: { cost } as Partial<RequestCtx>,
  })
  isOver = true
  expect(seen).toHaveLength(10)
  return new Set(seen).size
}

it('other requests are answered between the lists of an expensive operation, and a cheap one is not delayed', async () => {
  expect(await turnsBetween(5_000)).toBe(10)
  expect(await turnsBetween(101)).toBe(1)
})

it('C16: reading stops when the client has disconnected', async () => {
  const schema = buildSchema('type Query { all(first: Int): [Item!] } type Item { inside(first: Int): [Item!] }')
  let resolved = 0
  let isDisconnected = false
  for (const [type, name] of [
    ['Query', 'all'],
    ['Item', 'inside'],
  ] as const) {
    const owner = schema.getType(type)
    const field = isObjectType(owner) ? owner.getFields()[name] : undefined
    if (!field) throw new Error('The schema has it.')
    field.resolve = async () => {
      resolved++
      isDisconnected = name === 'inside'
      return [{}, {}]
    }
  }
  const { errors } = await execute({
    schema: yieldBetweenLists(schema),
    document: parse('{ all(first: 2) { inside(first: 2) { inside(first: 2) { __typename } } } }'),
    contextValue: { cost: 5_000, isDisconnected: () => isDisconnected } as Partial<RequestCtx>,
  })
  expect(resolved).toBeLessThanOrEqual(3) // of 7
  expect(errors?.[0]?.originalError).toMatchObject({ code: 'UNAVAILABLE' })
})

it('C16: other requests are answered while all types are listed, and the answer is the same', async () => {
  const all = Array.from({ length: 200 }, (_, i) => `type T${i} { name: String }`)
  const schema = yieldBetweenLists(buildSchema(`type Query { name: String } ${all.join(' ')}`))
  let turns = 0
  let isOver = false
  const others = () => {
    turns++
    if (!isOver) setImmediate(others)
  }
  setImmediate(others)
  const document = parse(getIntrospectionQuery())
  const { data } = await execute({ schema, document, contextValue: { cost: 5_000 } as Partial<RequestCtx> })
  isOver = true
  expect(turns).toBeGreaterThanOrEqual(10)
  expect(JSON.stringify(data)).toBe(
    JSON.stringify(execute({ schema, document }), undefined).slice('{"data":'.length, -1),
  )
})
