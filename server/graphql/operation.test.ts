import { getIntrospectionQuery } from 'graphql'
import { expect, it } from 'vitest'
import { Failure } from '../lib/failure.ts'
import { schema } from '../schema.ts'
import { createOperations, InvalidDocument } from './operation.ts'

const refusal = (text: string, variables: Record<string, unknown> = {}, name: string | null = null) => {
  try {
    createOperations(schema)(text, name).costWith(variables)
  } catch (error) {
    if (error instanceof Failure) return { code: error.code, says: error.message, ...error.details.extensions }
    if (error instanceof InvalidDocument) return { code: error.code, errors: error.errors.length }
    throw error
  }
  return undefined
}
const many = (count: number, part: (i: number) => string) => Array.from({ length: count }, (_, i) => part(i)).join(' ')
const tooMany = (what: string) => ({ code: 'QUERY_TOO_COMPLEX', says: expect.stringContaining(`more than ${what}`) })
const nested = (levels: number) => `${'{ devices '.repeat(levels)}{ id }${' }'.repeat(levels)}`

const LIMITS: [string, (n: number) => string, number, string][] = [
  ['aliases', (n) => `{ viewer { ${many(n, (i) => `a${i}: role`)} } }`, 30, 'more than 30 aliases'],
  ['root fields', (n) => `{ ${many(n, () => '__typename')} }`, 20, 'more than 20 fields at the root'],
  ['directives', (n) => `{ viewer { role ${many(n, () => '@include(if: true)')} } }`, 20, 'more than 20 directives'],
  ['depth', (n) => nested(n - 1), 10, 'more than 10 levels of depth'],
  ['the same field', (n) => `{ viewer { ${many(n, () => 'role')} } }`, 30, 'more than 30 times the same field'],
  [
    'fragments',
    (n) => `{ viewer { role } } ${many(n, (i) => `fragment f${i} on Viewer { role }`)}`,
    50,
    'more than 50 fragments',
  ],
  ['characters', (n) => '{ viewer { role } }'.padEnd(n), 16_000, 'more than 16000 characters'],
  ['tokens', (n) => `{ viewer { ${many(n - 5, () => 'role')} } }`, 2_000, 'more than 2000 tokens'],
]
for (const [what, document, most, words] of LIMITS) {
  it(`refuses more than ${most} ${what}, and says so`, () => {
    expect(JSON.stringify(refusal(document(most))) ?? '').not.toContain(words)
    expect(refusal(document(most + 1))).toMatchObject({
      code: 'QUERY_TOO_COMPLEX',
      says: expect.stringContaining(words),
    })
  })
}

it('counts an object as 1, times the page size around it, and refuses what costs more than 5,000', () => {
  const cost = (text: string, variables = {}) => createOperations(schema)(text, null).costWith(variables)

  expect(cost('{ viewer { role } }')).toBe(1)
  expect(cost('{ devices { data { id name } } }')).toBe(101)
  expect(cost('{ devices(first: 20) { data { id location { name } } pageInfo { hasNextPage } } }')).toBe(42)
  const paged = 'query ($n: Int = 7) { devices(first: $n) { data { id } } }'
  expect([cost(paged), cost(paged, { n: 500 }), cost(paged, { n: 1e9 })]).toEqual([8, 501, 501])
  expect(refusal(`{ ${many(10, (i) => `d${i}: devices(first: 500) { data { id } }`)} }`)).toEqual({
    code: 'QUERY_TOO_COMPLEX',
    says: expect.any(String),
    cost: 5010,
    maxCost: 5000,
  })
})

it('lets tools introspect, which goes deeper than other documents may', () => {
  expect(refusal(getIntrospectionQuery())).toBeUndefined()
})

it('reports at most 10 validation errors', () => {
  expect(refusal(`{ viewer { ${many(40, (i) => `no${i}`)} } }`)).toEqual({
    code: 'GRAPHQL_VALIDATION_FAILED',
    errors: 10,
  })
})

/** Each by what is counted before the rules of GraphQL are applied to it, or else by the first ten of their errors. */
const ENDLESS: [string, string, object][] = [
  ['deep nesting', `{ devices ${'{ data '.repeat(600)}{ id }${' }'.repeat(601)}`, tooMany('10 levels of depth')],
  ['one field 1,900 times', `{ devices { data { ${many(1900, () => 'id')} } } }`, tooMany('30 times the same field')],
  [
    'one object 450 times',
    `{ viewer { ${many(450, () => 'organization { id }')} } }`,
    tooMany('30 times the same field'),
  ],
  [
    'the same in an operation that is not run',
    `query A { viewer { role } } query B { viewer { ${many(440, () => 'organization { id }')} } }`,
    tooMany('30 times the same field'),
  ],
  [
    'the same in a fragment that is not used',
    `{ viewer { role } } fragment f on Viewer { ${many(440, () => 'organization { id }')} }`,
    tooMany('30 times the same field'),
  ],
  [
    'fragments that double 49 times',
    `{ viewer { ...f0 } } ${many(49, (i) => `fragment f${i} on Viewer { ...f${i + 1} ...f${i + 1} }`)} fragment f49 on Viewer { role }`,
    tooMany('30 times the same field'),
  ],
  [
    'introspection that doubles 14 times',
    `{ __schema { types { ...t0 } } } ${many(14, (i) => `fragment t${i} on __Type { a: ofType { ...t${i + 1} } b: ofType { ...t${i + 1} } }`)} fragment t14 on __Type { name }`,
    { code: 'QUERY_TOO_COMPLEX', maxCost: 5000 },
  ],
  [
    'a fragment inside itself',
    '{ viewer { ...a } } fragment a on Viewer { ...b } fragment b on Viewer { ...a }',
    { code: 'GRAPHQL_VALIDATION_FAILED', errors: 1 },
  ],
  [
    '1,900 unknown fields',
    `{ viewer { ${many(1900, (i) => `x${i}`)} } }`,
    { code: 'GRAPHQL_VALIDATION_FAILED', errors: 10 },
  ],
  [
    '380 unused variables',
    `query (${many(380, (i) => `$v${i}: Int`)}) { viewer { role } }`,
    { code: 'GRAPHQL_VALIDATION_FAILED', errors: 10 },
  ],
]
for (const [what, document, expected] of ENDLESS) {
  it(`refuses ${what} before execution`, () => {
    expect(refusal(document, {}, document.startsWith('query A') ? 'A' : null)).toMatchObject(expected)
  })
}

it('keeps a bounded number of operations, and compiles one when it is seen again', () => {
  const find = createOperations(schema)
  const first = find('{ viewer { role } }', null)
  expect(first.compiled).toBeUndefined()
  const again = find('{ viewer { role } }', null)
  expect(again.compiled).toBeDefined()
  expect(find('{ viewer { role } }', null)).toBe(again)
  for (let i = 0; i < 500; i++) find(`{ viewer { a${i}: role } }`, null)
  expect(find('{ viewer { role } }', null)).toBe(again) // it was in use
  for (let i = 0; i < 1000; i++) find(`{ viewer { b${i}: role } }`, null)
  expect(find('{ viewer { role } }', null)).not.toBe(again)
})
