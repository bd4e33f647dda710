import { type DocumentNode, parse, specifiedRules, validate } from 'graphql'
import { expect, it } from 'vitest'
import { readDocument, requireWithinLimits } from '../../server/graphql/document.ts'
import { isSurelyValid } from '../../server/graphql/surely-valid.ts'
import { schema } from '../../server/schema.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { between, createRandom, oneOf, type Random } from '../fault/random.ts'
import { seed } from '../support/seed.ts'
import { generateDocument } from './document.ts'
import { SEEN } from './seen-documents.ts'
import { knownOf } from './world.ts'

const known = knownOf()
const range = (length: number) => Array.from({ length }, (_, i) => i)

/** Undefined: refused before anything is validated. */
function documentWithinLimits(text: string): DocumentNode | undefined {
  try {
    const document = readDocument(text)
    requireWithinLimits(schema, document)
    return document
  } catch {
    return undefined
  }
}

/** Compares with the rules of graphql-js; returns whether they were spared. */
function isSpared(text: string, why: string): boolean {
  const document = documentWithinLimits(text)
  if (!document || !isSurelyValid(schema, document)) return false
  const errors = validate(schema, document, specifiedRules).map(({ message }) => message)
  expect(errors, `${why}: ${text}`).toEqual([])
  return true
}

const TOKEN = /"""[\s\S]*?"""|"(?:\\.|[^"\\])*"|\.{3}|[$@]?[_A-Za-z]\w*|-?\d[\w.+-]*|[^\s,\w]/g
const PIECES = [
  'id',
  'first',
  '$v0',
  '$v1',
  '...',
  'on',
  'Device',
  '@skip(if: true)',
  '@include(if: $v0)',
  '{',
  '}',
  ':',
]
const MORE_PIECES = [
  'null',
  '1',
  '-1',
  '"x"',
  'true',
  'ONLINE',
  '[',
  ']',
  '{}',
  '__typename',
  'F0',
  '=',
  '!',
  'query',
  'A',
]

/** The same document with one to three of its tokens missing, doubled, swapped or replaced. */
function broken(random: Random, text: string): string {
  const tokens = text.match(TOKEN) ?? []
  for (const _ of range(between(random, 1, 3))) {
    const [at, other] = [between(random, 0, tokens.length - 1), between(random, 0, tokens.length - 1)]
    const [one = '', another = ''] = [tokens[at], tokens[other]]
    const way = between(random, 0, 4)
    if (way === 0) tokens.splice(at, 1)
    if (way === 1) tokens.splice(at, 0, one)
    if (way === 2) tokens.splice(at, 1, another)
    if (way === 3) tokens.splice(at, 1, oneOf(random, [...PIECES, ...MORE_PIECES]))
    if (way === 4) tokens.splice(at, 0, oneOf(random, [...PIECES, ...MORE_PIECES]))
  }
  return tokens.join(' ')
}

it('a document that is spared the rules of GraphQL breaks none of them: generated ones, and the same with broken tokens', () => {
  const random = createRandom(seed)
  let [whole, sparedWhole, sparedBroken] = [0, 0, 0]
  for (const i of range(400)) {
    const options = { random, known, isTame: i % 2 === 0, operation: i % 4 < 2 ? 'query' : 'mutation' } as const
    const { query } = generateDocument(schema, options)
    if (options.isTame && documentWithinLimits(query)) {
      whole++
      if (isSpared(query, `seed ${seed}, ${i}`)) sparedWhole++
    } else isSpared(query, `seed ${seed}, ${i}`)
    for (const j of range(12)) if (isSpared(broken(random, query), `seed ${seed}, ${i}.${j}`)) sparedBroken++
  }
  expect(sparedWhole / whole, `seed ${seed}: how many valid ones are spared`).toBeGreaterThan(0.8)
  expect(sparedBroken, `seed ${seed}: how many broken ones are still valid`).toBeGreaterThan(100)
})

it('the operations of the contract and the seen documents are spared the rules, and break none', () => {
  const texts = [...Object.values(OPERATIONS).map(({ document }) => document), ...SEEN.map(({ query }) => query)]
  const spared = texts.filter((text) => isSpared(text, 'given'))
  expect(spared.length / texts.filter(documentWithinLimits).length).toBeGreaterThan(0.9)
})

/** One for each rule of graphql-js, and for what makes it difficult. */
const BROKEN: Record<string, string[]> = {
  ExecutableDefinitions: ['{ viewer { role } } type A { b: Int }'],
  UniqueOperationNames: ['query A { viewer { role } } query A { viewer { role } }'],
  LoneAnonymousOperation: ['{ viewer { role } } query A { viewer { role } }'],
  KnownTypeNames: [
    'query ($a: Nothing) { devices(first: $a) { totalCount } }',
    '{ viewer { ... on Nothing { role } } }',
    '{ viewer { ...f } } fragment f on Nothing { role }',
  ],
  FragmentsOnCompositeTypes: ['{ viewer { ...f } } fragment f on Int { role }', '{ viewer { ... on Role { role } } }'],
  VariablesAreInputTypes: ['query ($a: Device) { devices(first: $a) { totalCount } }'],
  ScalarLeafs: ['{ viewer }', '{ viewer { role { name } } }', '{ __typename { a } }'],
  FieldsOnCorrectType: [
    '{ viewer { nothing } }',
    '{ viewer { constructor } }',
    '{ viewer { __schema { types { name } } } }',
  ],
  UniqueFragmentNames: ['{ viewer { ...f } } fragment f on Viewer { role } fragment f on Viewer { role }'],
  KnownFragmentNames: ['{ viewer { ...f } }'],
  NoUnusedFragments: ['{ viewer { role } } fragment f on Viewer { role }'],
  PossibleFragmentSpreads: ['{ viewer { ... on Device { id } } }', '{ viewer { ...f } } fragment f on Device { id }'],
  NoFragmentCycles: ['{ viewer { ...f } } fragment f on Viewer { role ...g } fragment g on Viewer { role ...f }'],
  UniqueVariableNames: ['query ($a: Int, $a: Int) { devices(first: $a) { totalCount } }'],
  NoUndefinedVariables: [
    '{ devices(first: $a) { totalCount } }',
    '{ viewer { role @skip(if: $a) } }',
    'query A($a: Int) { ...f } query B { ...f } fragment f on Query { devices(first: $a) { totalCount } }',
    '{ devices(filter: { status: $a }) { totalCount } }',
  ],
  NoUnusedVariables: ['query ($a: Int) { viewer { role } }'],
  KnownDirectives: [
    '{ viewer { role @nothing } }',
    'query @skip(if: true) { viewer { role } }',
    '{ viewer { ...f } } fragment f on Viewer @skip(if: true) { role }',
    'query ($a: Int @skip(if: true)) { devices(first: $a) { totalCount } }',
    '{ viewer { role @deprecated } }',
  ],
  UniqueDirectivesPerLocation: ['{ viewer { role @skip(if: true) @skip(if: true) } }'],
  KnownArgumentNames: [
    '{ viewer(a: 1) { role } }',
    '{ devices(firsts: 1) { totalCount } }',
    '{ viewer { role @skip(if: true, a: 1) } }',
    '{ __typename(a: 1) }',
  ],
  UniqueArgumentNames: [
    '{ devices(first: 1, first: 2) { totalCount } }',
    '{ viewer { role @skip(if: true, if: true) } }',
  ],
  ValuesOfCorrectType: [
    '{ devices(first: "1") { totalCount } }',
    '{ devices(first: 1.5) { totalCount } }',
    '{ devices(first: 3000000000) { totalCount } }',
    '{ devices(first: [1]) { totalCount } }',
    '{ devices(filter: { status: NOTHING }) { totalCount } }',
    '{ devices(filter: { status: "ONLINE" }) { totalCount } }',
    '{ devices(filter: { nothing: 1 }) { totalCount } }',
    '{ devices(filter: { tags: [1] }) { totalCount } }',
    '{ devices(filter: 1) { totalCount } }',
    '{ device(id: null) { id } }',
    '{ device(id: { a: 1 }) { id } }',
    '{ viewer { role @skip(if: null) } }',
    'mutation { createDevice(input: {}) { id } }',
    'mutation { createDevice(input: { name: null }) { id } }',
    'query ($a: Int = "1") { devices(first: $a) { totalCount } }',
    'query ($a: ID! = null) { device(id: $a) { id } }',
  ],
  ProvidedRequiredArguments: ['{ device { id } }', '{ viewer { role @skip } }'],
  VariablesInAllowedPosition: [
    'query ($a: String) { devices(first: $a) { totalCount } }',
    'query ($a: ID) { device(id: $a) { id } }',
    'query ($a: [Int]) { devices(first: $a) { totalCount } }',
    'query ($a: String) { devices(filter: { tags: $a }) { totalCount } }',
    'query ($a: String) { devices(filter: { tags: [$a] }) { totalCount } }',
    'query ($a: Boolean) { viewer { role @skip(if: $a) } }',
    'mutation ($a: String) { createDevice(input: { name: $a }) { id } }',
  ],
  OverlappingFieldsCanBeMerged: [
    '{ a: viewer { role } a: organization { id } }',
    '{ devices(first: 1) { totalCount } devices(first: 2) { totalCount } }',
    '{ viewer { role } viewer { role: id } }',
    '{ viewer { a: role ...f } } fragment f on Viewer { a: id }',
    '{ viewer { a: role ... { a: id } } }',
  ],
  UniqueInputFieldNames: ['{ devices(filter: { status: ONLINE, status: ONLINE }) { totalCount } }'],
}
for (const [rule, texts] of Object.entries(BROKEN)) {
  it(`a document that breaks a rule is not spared the rules: ${rule}`, () => {
    for (const text of texts) {
      const document = parse(text)
      expect(validate(schema, document, specifiedRules), text).not.toEqual([])
      expect(isSurelyValid(schema, document), text).toBe(false)
    }
  })
}

it('every rule of graphql-js has a broken document here', () => {
  const ELSEWHERE = ['SingleFieldSubscriptions', 'MaxIntrospectionDepth'] // subscriptions and introspection are never spared
  const names = specifiedRules.map(({ name }) => name.replace(/Rule$/, ''))
  expect(Object.keys(BROKEN).toSorted()).toEqual(names.filter((name) => !ELSEWHERE.includes(name)).toSorted())
  for (const text of ['{ __schema { types { name } } }', '{ __type(name: "Device") { name } }', 'subscription { a }'])
    expect(isSurelyValid(schema, parse(text)), text).toBe(false)
})

/** All valid: variables with defaults, of a stricter type, in fragments and inside of values; lists of one; and null. */
const SPARED = [
  'query A { viewer { role } } query B { viewer { role } }',
  'query ($a: ID!) { device(id: $a) { id } }',
  'query ($a: ID = "x") { device(id: $a) { id } }',
  'query ($a: Boolean = true, $b: Boolean!) { viewer { role @skip(if: $a) @include(if: $b) } }',
  'query ($a: Int!) { ...f ... on Query { b: __typename } } fragment f on Query { devices(first: $a) { data { ...g } } } fragment g on Device { id }',
  'query ($a: String!) { devices(filter: { tags: [$a, "b"] }) { totalCount } }',
  'query ($a: [String!]) { devices(filter: { tags: $a }) { totalCount } }',
  '{ devices(filter: { tags: "one" }, search: null) { totalCount } }',
  '{ viewer { role role ...f ...f } } fragment f on Viewer { role }',
  'mutation { createDevice(input: { name: "a", tags: ["b"] }) { id } }',
]
it('what clients usually write is spared the rules', () => {
  for (const text of SPARED) expect([text, isSpared(text, 'given')]).toEqual([text, true])
})
