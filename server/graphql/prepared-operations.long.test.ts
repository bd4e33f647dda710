import { getIntrospectionQuery } from 'graphql'
import { expect, it } from 'vitest'
import { operationsOf } from '../../test/support/world/operations.ts'
import { schema } from '../endpoints/schema.ts'
import { AppError } from '../lib/app-error.ts'
import { mintSecret } from '../secrets/secret.ts'
import { InvalidDocument, readDocument } from './document.ts'
import { createOperations } from './prepared-operations.ts'

const refusal = (text: string, variables: Record<string, unknown> = {}, name: string | null = null) => {
  try {
    operationsOf(schema)(text, name).costWith(variables)
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, message: error.message, ...error.details.extensions }
    if (error instanceof InvalidDocument) return { code: error.code, errors: error.errors.length }
    throw error
  }
  return undefined
}
const many = (count: number, part: (i: number) => string) => Array.from({ length: count }, (_, i) => part(i)).join(' ')
const tooMany = (what: string) => ({ code: 'QUERY_TOO_COMPLEX', message: expect.stringContaining(`more than ${what}`) })
const DEVICE =
  'id name description enabled status lastSeenAt tags firmwareVersion createdAt updatedAt location { name } '
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
  [
    'operations',
    (n) => `query A { viewer { role } } ${many(n - 1, (i) => `query B${i} { viewer { role } }`)}`,
    10,
    'more than 10 operations',
  ],
  ['characters', (n) => '{ viewer { role } }'.padEnd(n), 16_000, 'more than 16000 characters'],
  ['tokens', (n) => `{ viewer { ${many(n - 5, () => 'role')} } }`, 2_000, 'more than 2000 tokens'],
]
for (const [what, document, most, words] of LIMITS) {
  it(`refuses more than ${most} ${what}, with a message`, () => {
    const name = what === 'operations' ? 'A' : null
    expect(JSON.stringify(refusal(document(most), {}, name)) ?? '').not.toContain(words)
    expect(refusal(document(most + 1), {}, name)).toMatchObject({
      code: 'QUERY_TOO_COMPLEX',
      message: expect.stringContaining(words),
    })
  })
}

it('takes no argument and no value for an alias', () => {
  const inputs = many(40, (i) => `{ name: "device-${i}", tags: ["a"] }`)
  const results = 'results { device { id name @include(if: true) @skip(if: false) } }'
  expect(refusal(`mutation { createDevices(inputs: [${inputs}]) { ${results} } }`)).toBeUndefined()
})

it('allows introspection, which is deeper than other documents may be', () => {
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
    'repetitions inside of repetitions',
    `{ viewer { ${many(15, () => `apiKey { ${many(2, () => `replaces { ${many(10, () => 'replacedBy { id }')} }`)} }`)} } }`,
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
    tooMany('2000 fields'),
  ],
  ['900 unknown fragments', `{ viewer { ${many(900, (i) => `...f${i}`)} } }`, tooMany('50 fragments in one place')],
  [
    '40 fragments in 16 places of one name',
    `{ devices { ${many(16, () => `data { ${many(40, (i) => `...f${i}`)} }`)} } } ${many(40, (i) => `fragment f${i} on Device { ${i < 30 ? `a${i}: id` : DEVICE.split(' ')[i - 30]} }`)}`,
    tooMany('50 fragments in one place'),
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

it('caches a bounded number of operations', () => {
  const find = operationsOf(schema)
  const again = find('{ viewer { role } }')
  for (let i = 0; i < 499; i++) find(`{ viewer { a${i}: role } }`, null)
  expect(find('{ viewer { role } }', null)).toBe(again) // it was in use
  for (let i = 0; i < 1000; i++) find(`{ viewer { b${i}: role } }`, null)
  expect(find('{ viewer { role } }', null)).not.toBe(again)
})

it('caches few documents of 1,900 tokens, so that they cannot fill the memory', () => {
  const find = operationsOf(schema)
  const large = (i: number) => `{ viewer { ${many(30, (j) => `a${j}: role`)} } ${'#'.repeat(i)}\n }`
  const kept = find(large(1))
  for (let i = 2; i < 500; i++) find(large(i))
  expect(find(large(1)).node).toBe(kept.node) // 129 tokens each: there is room for 500
  const largest = (i: number) =>
    `{ ${many(19, (j) => `a${j}: devices(first: 1) { data { ${DEVICE.repeat(5)} } }`)} viewer { role } ${'#'.repeat(i)}\n }`
  for (let i = 0; i < 100; i++) find(largest(i))
  expect(find(large(1)).node).not.toBe(kept.node)
})

const SECRET = mintSecret('emp_')
it.each([
  ['as a value', `mutation { reportLeakedApiKey(secret: "${SECRET}") { __typename } }`],
  ['as a value with escapes', `{ apiKeyBySecret(secret: "\\u0065${SECRET.slice(1)}") { id } }`],
  ['as a block', `{ apiKeyBySecret(secret: """${SECRET}""") { id } }`],
  ['as a value of a variable', `query ($secret: String! = "${SECRET}") { apiKeyBySecret(secret: $secret) { id } }`],
  ['in a comment', `{ viewer { role } } # ${SECRET}`],
  ['as a name', `{ ${SECRET}: viewer { role } }`],
])('does not cache a document with a secret %s', (_where, text) => {
  const operations = createOperations(schema)
  operations.prepare({ query: text }, readDocument(text))
  expect(operations.find({ query: text })?.title).toBeUndefined()
  const other = text.replace(/(\\u0065|e)mp_\w+/, 'temp_1')
  operations.prepare({ query: other }, readDocument(other))
  expect(operations.find({ query: other })?.title).toBeDefined()
})

it('plans no operation that is many times as long as its text: plans stay in memory', () => {
  const wide = (times: number) => `{ ${many(times, (i) => `a${i}: devices { data { ${DEVICE} } }`)} }`
  const find = operationsOf(schema)
  expect([5, 19].map((times) => find(wide(times)).plan !== undefined)).toEqual([true, false])
  const fragments = `{ ${many(19, (i) => `a${i}: devices { ...F }`)} } fragment F on DeviceList { data { ${DEVICE} } }`
  expect(find(fragments).plan).toBeUndefined()
})

it('titles an operation by its name or its first fields, at most 80 characters', () => {
  const title = (text: string) => operationsOf(schema)(text).title
  expect(title('query Nightly { viewer { role } }')).toBe('Nightly')
  expect(title('{ viewer { role } devices { totalCount } ...q } fragment q on Query { __typename }')).toBe(
    'viewer, devices, …',
  )
  expect(title(`query ${'Q'.repeat(15_000)} { viewer { role } }`)).toBe('Q'.repeat(80))
  const fields = [
    'apiKeyPolicyViolations(input: {}) { rule }',
    'supportOrganizations { totalCount }',
    'expiringApiKeys { daysLeft }',
  ]
  expect(title(`{ ${fields.join(' ')} apiKeyPolicy { maxKeys } organization { id } }`)).toHaveLength(80)
})

it.for<[string, string, string | null, string, string | null]>([
  [
    'the beginning of a mutation as a name',
    'mutation { createDevice(input: { name: "a" }) { id } }',
    null,
    '{ createDevice(input: { name: "a" }) { id } }',
    'mutation',
  ],
  ['the beginning of a query as a name', 'query { viewer { role } }', null, '{ viewer { role } }', 'query'],
  ['what is no document without its name', 'query A { viewer { role } }', null, 'A { viewer { role } }', 'query'],
  ['the first word as a name', 'query A { viewer { role } }', null, ' A { viewer { role } }', 'query'],
  ['a name before the document', 'query A { viewer { role } }', 'A', 'A query A { viewer { role } }', null],
  ['a length and a name before the document', 'query A { viewer { role } }', 'A', '1 Aquery A { viewer { role } }', ''],
  ['a name with a part of the document', 'query\nA { viewer { role } }', 'A', 'A { viewer { role } }', 'A\nquery'],
  [
    'a name that ends as the document begins',
    'query A { viewer { role } }',
    'A',
    ' query A { viewer { role } }'.slice(1),
    'A ',
  ],
])('does not take %s for a document that is cached', ([_title, text, name, otherText, otherName]) => {
  const find = operationsOf(schema)
  find(text, name)
  expect(() => find(otherText, otherName)).toThrow(InvalidDocument)
  expect(find(text, name).node.operation).toBe(text.split(/[ \n]/)[0])
})
