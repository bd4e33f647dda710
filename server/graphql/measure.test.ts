import { getNamedType, getNullableType, isCompositeType, isIntrospectionType, isListType, isObjectType } from 'graphql'
import { expect, it } from 'vitest'
import { operationsOf } from '../../test/support/world/operations.ts'
import { chargeForBody, createOperationFinder } from '../endpoints/graphql/operation.ts'
import { schema } from '../endpoints/schema.ts'
import type { RequestCtx } from './builder.ts'
import { pointsForDocument } from './cost.ts'

const cost = (text: string, variables = {}) => operationsOf(schema)(text).costWith(variables)
const many = (count: number, part: (i: number) => string) => Array.from({ length: count }, (_, i) => part(i)).join(' ')

const fields = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type) && !isIntrospectionType(type))
  .flatMap((type) => Object.values(isObjectType(type) ? type.getFields() : {}).map((field) => ({ type, field })))

it('C3: every list has a bounded length, by its page or by a maximum', () => {
  const lists = fields.filter(({ field }) => isListType(getNullableType(field.type)))
  expect(lists.length).toBeGreaterThan(10)
  const without = lists.filter(({ field }) => {
    const { maxItems, isPage } = field.extensions.cost ?? {}
    return maxItems === undefined && !isPage
  })
  expect(without.map(({ type, field }) => `${type.name}.${field.name}`)).toEqual([])
})

/** `id`, `since` and `state` choose what is listed: they can only make it shorter. `orderBy` chooses one of several indexes. */
const PAGE_ARGUMENTS = ['first', 'after', 'id', 'since', 'state', 'orderBy']

it('C3: paged lists take `first`, and no other argument that could make them longer', () => {
  for (const { type, field } of fields) {
    const item = getNamedType(field.type)
    const isList =
      isObjectType(item) && Object.values(item.getFields()).some(({ extensions }) => extensions.cost?.isPage)
    const args = field.args.map(({ name }) => name)
    if (args.includes('inputs')) continue // as many results as there are inputs
    expect(args.includes('first'), `${type.name}.${field.name}`).toBe(isList)
    if (!isList) continue
    const others = field.args.filter(({ name, extensions }) => !PAGE_ARGUMENTS.includes(name) && !extensions.isSearch)
    expect(
      others.map(({ name }) => name),
      `${type.name}.${field.name}`,
    ).toEqual([])
  }
})

it('an object costs 1, multiplied by the page sizes of the lists around it', () => {
  expect(cost('{ viewer { role } }')).toBe(1)
  expect(cost('{ devices { data { id name } } }')).toBe(101)
  expect(cost('{ devices(first: 20) { data { id location { name } } pageInfo { hasNextPage } } }')).toBe(42)
  expect(cost('{ apiKeys(first: 3) { data { id descendants(first: 7) { data { id } } } } }')).toBe(1 + 3 * (1 + 1 + 7))
  expect(cost('{ apiKeys(first: 3) { data { id usage { at } } } }')).toBe(1 + 3 * (1 + 90 / 2))
  expect(cost('{ viewer { organizations { id } } }')).toBe(1 + 200)
})

it('an item of a mutation for many costs 5 and what its result costs, for as many as are given', () => {
  const results = 'results { device { id location { name } } error { code } }'
  const byVariable = `mutation ($inputs: [CreateDeviceInput!]!) { createDevices(inputs: $inputs) { ${results} } }`
  const inputs = (count: number) => ({ inputs: Array.from({ length: count }, () => ({ name: 'x' })) })
  const operation = operationsOf(schema)(byVariable)
  expect([0, 1, 500].map((count) => operation.costWith(inputs(count)))).toEqual([100, 109, 100 + 500 * 9])
  expect(operation.costWith({ inputs: { name: 'a list of one' } })).toBe(109)
  expect(cost(`mutation { createDevices(inputs: [{ name: "a" }, { name: "b" }]) { ${results} } }`)).toBe(118)
  expect(cost(`mutation { deleteDevices(inputs: [{ id: "a" }]) { __typename } }`)).toBe(105)
})

it('an object with more than 15 requested fields costs more', () => {
  expect(cost(`{ viewer { ${many(15, (i) => `a${i}: role`)} } }`)).toBe(1)
  expect(cost(`{ devices(first: 10) { data { ${many(16, (i) => `a${i}: name`)} } } }`)).toBe(21)
})

it('a count costs 500, and so does a search or a filter that is not null', () => {
  expect(cost('{ devices(first: 1) { totalCount } }')).toBe(501)
  expect(cost('{ devices(first: 1, search: "a") { data { id } } }')).toBe(502)
  expect(cost('{ devices(first: 1, search: null, filter: null) { data { id } } }')).toBe(2)
  const searched =
    'query ($s: String, $f: DeviceFilter = { enabled: true }) { devices(first: 1, search: $s, filter: $f) { data { id } } }'
  expect([cost(searched, { s: 'a', f: null }), cost(searched, { s: null, f: null }), cost(searched)]).toEqual([
    502, 2, 502,
  ])
})

it('a field that runs its own query declares its cost', () => {
  expect(cost('{ organization { activeApiKeyCount } }')).toBe(9)
  expect(cost('{ apiKeys(first: 10) { data { recentUsage { calls } } } }')).toBe(1 + 10 * (1 + 1 + 100))
  expect(cost('mutation { a: deleteDevice(id: "") b: deleteDevice(id: "") }')).toBe(200)
})

it('a page size may be a variable, and is at most 500', () => {
  const paged = 'query ($n: Int = 7) { devices(first: $n) { data { id } } }'
  expect([cost(paged), cost(paged, { n: 500 }), cost(paged, { n: 1e9 })]).toEqual([8, 501, 501])
})

it('a fragment is counted each time it is used', () => {
  const text =
    '{ a: devices(first: 2) { ...d } b: devices(first: 3) { ...d } } fragment d on DeviceList { data { id } }'
  expect(cost(text)).toBe(1 + 2 + 1 + 3)
})

const TOO_DEAR: [string, string][] = [
  ['ten pages of 500', `{ ${many(10, (i) => `d${i}: devices(first: 500) { data { id } }`)} }`],
  [
    'twenty filtered counts',
    `{ ${many(20, (i) => `d${i}: devices(filter: { tags: ["a"] }) { data { id } totalCount }`)} }`,
  ],
  ['the descendants of all keys', '{ apiKeys { data { descendants { data { id } } } } }'],
  ['the use of all keys', '{ apiKeys { data { recentUsage { addresses { value } } } } }'],
]
for (const [what, text] of TOO_DEAR) {
  it(`refuses a cost above 5,000, with both numbers: ${what}`, () => {
    expect(() => cost(text)).toThrow(
      expect.objectContaining({
        code: 'QUERY_TOO_COMPLEX',
        details: { extensions: { cost: expect.any(Number), maxCost: 5000 } },
      }),
    )
  })
}

it('descendants cannot be nested', () => {
  const inner = schema.getType('ApiKeyDescendant')
  expect(
    isObjectType(inner) && Object.values(inner.getFields()).some((field) => isCompositeType(getNamedType(field.type))),
  ).toBe(false)
})

/** The points that the work takes from a limit. */
async function charged(work: (ctx: RequestCtx) => Promise<unknown>): Promise<number> {
  let taken = 0
  const charge = async (points: number) => {
    taken += points
  }
  await work({ caller: { kind: 'SYSTEM', organizationId: '', role: 'ADMIN' }, charge } as unknown as RequestCtx)
  return taken
}

it('a request takes one point, and one more for each further 250 of cost, for 100 new tokens and for 4,096 characters', async () => {
  const find = createOperationFinder(schema)
  const ofCost = (devices: number) =>
    charged((ctx) => find({ query: `{ devices(first: ${devices}) { data { id } } }` }, ctx))
  expect(cost('{ devices(first: 249) { data { id } } }')).toBe(250)
  expect(await Promise.all([1, 100, 249, 250, 499, 500].map(ofCost))).toEqual([0, 0, 0, 1, 1, 2])
  const ofTokens = (tokenCount: number) => pointsForDocument({ kind: 'Document' as never, definitions: [], tokenCount })
  expect([12, 99, 100, 2000].map(ofTokens)).toEqual([0, 0, 1, 20])
  const ofBody = (length: number) => charged((ctx) => chargeForBody(ctx, 'x'.repeat(length)))
  expect(await Promise.all([0, 4095, 4096, 262_144].map(ofBody))).toEqual([0, 0, 1, 64])
})

it('a variable with the name of what every object has costs what its default does', () => {
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    expect(cost(`query ($${name}: Int = 500) { apiKeys(first: $${name}) { data { id } } }`)).toBe(501)
    const inputs = `query ($${name}: String) { apiKeys(search: $${name}) { data { id } } }`
    expect(cost(inputs)).toBe(cost('{ apiKeys { data { id } } }'))
  }
})

it('a null variable means the default page size of the argument, not of the variable', () => {
  const text = 'query ($n: Int = 1) { apiKeys(first: $n) { data { id } } }'
  expect(cost(text)).toBe(2)
  expect(cost(text, { n: null })).toBe(101)
  expect(cost(text, { n: 100 })).toBe(101)
})
