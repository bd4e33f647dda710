import {
  buildSchema,
  execute,
  getIntrospectionQuery,
  getNullableType,
  isIntrospectionType,
  isListType,
  isObjectType,
  parse,
} from 'graphql'
import { expect, it } from 'vitest'
import type { RequestCtx } from './builder.ts'
import { applyFieldRules } from './field-rules.ts'

/** A schema of which every field of Query and every list has its declarations. */
function declared(text: string) {
  const schema = buildSchema(text)
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue
    for (const field of Object.values(type.getFields()))
      field.extensions = {
        access: { name: field.name, accesses: [] },
        ...(isListType(getNullableType(field.type)) && { cost: { maxItems: 2 } }),
      }
  }
  return schema
}

const contextOf = (ctx: Partial<RequestCtx>) => ({ caller: COMMAND_LINE_CALLER, ...ctx })
const COMMAND_LINE_CALLER = { kind: 'SYSTEM', organizationId: 'x', role: 'ADMIN' } as const

/** Answers ten lists, and tells between how many of them others had a turn. */
async function turnsBetween(cost: number): Promise<number> {
  const schema = declared('type Query { all: [Item!] } type Item { name: String }')
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
  const text = `{ ${Array.from({ length: 10 }, (_, i) => `a${i}: all { name }`).join(' ')} }`
  await execute({
    schema: applyFieldRules(schema),
    document: parse(text),
    contextValue: contextOf({ cost }),
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
  const schema = declared('type Query { all: [Item!] } type Item { inside: [Item!] }')
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
    schema: applyFieldRules(schema),
    document: parse('{ all { inside { inside { __typename } } } }'),
    contextValue: contextOf({ cost: 5_000, isDisconnected: () => isDisconnected }),
  })
  expect(resolved).toBeLessThanOrEqual(3) // there are 7
  expect(errors?.[0]?.originalError).toMatchObject({ code: 'UNAVAILABLE' })
})

it('C16: other requests are answered while all types are listed, and the answer is the same', async () => {
  const all = Array.from({ length: 200 }, (_, i) => `type T${i} { name: String }`)
  const schema = applyFieldRules(declared(`type Query { name: String } ${all.join(' ')}`))
  let turns = 0
  let isOver = false
  const others = () => {
    turns++
    if (!isOver) setImmediate(others)
  }
  setImmediate(others)
  const document = parse(getIntrospectionQuery())
  const { data } = await execute({ schema, document, contextValue: contextOf({ cost: 5_000 }) })
  isOver = true
  expect(turns).toBeGreaterThanOrEqual(10)
  expect(JSON.stringify(data)).toBe(
    JSON.stringify(execute({ schema, document }), undefined).slice('{"data":'.length, -1),
  )
})
