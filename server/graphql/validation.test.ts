import { parse, specifiedRules, validate } from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '../endpoints/schema.ts'
import { InvalidDocument } from './document.ts'
import { requireValid } from './validation.ts'

/** The messages of the errors that a document is refused with. */
function refusalOf(text: string): string[] {
  try {
    requireValid(schema, text, parse(text))
    return []
  } catch (error) {
    if (error instanceof InvalidDocument) return error.errors.map(({ message }) => message)
    throw error
  }
}

/** Documents that break a rule of graphql-js, with as little as it takes. */
const BROKEN: Record<string, string[]> = {
  ExecutableDefinitionsRule: ['{ viewer { role } } type A { b: Int }'],
  UniqueOperationNamesRule: ['query A { viewer { role } } query A { viewer { role } }'],
  LoneAnonymousOperationRule: ['{ viewer { role } } query A { viewer { role } }'],
  KnownTypeNamesRule: [
    'query ($a: Nothing) { devices(first: $a) { totalCount } }',
    '{ viewer { ... on Nothing { role } } }',
    '{ viewer { role } } fragment f on Nothing { role }',
  ],
  FragmentsOnCompositeTypesRule: [
    '{ viewer { role } } fragment f on Int { role }',
    '{ viewer { ... on Role { role } } }',
  ],
  VariablesAreInputTypesRule: ['query ($a: Device) { viewer { role } }'],
  ScalarLeafsRule: ['{ viewer }', '{ viewer { role { name } } }', '{ __typename { a } }'],
  FieldsOnCorrectTypeRule: ['{ viewer { nothing } }', '{ viewer { constructor } }'],
  UniqueFragmentNamesRule: ['{ viewer { role } } fragment f on Viewer { role } fragment f on Viewer { role }'],
  KnownFragmentNamesRule: ['{ viewer { ...f } }', '{viewer{...\nf}}'],
  NoUnusedFragmentsRule: ['{ viewer { role } } fragment f on Viewer { role }'],
  PossibleFragmentSpreadsRule: [
    '{ viewer { ... on Device { id } } }',
    '{ viewer { ...f } } fragment f on Device { id }',
  ],
  NoFragmentCyclesRule: ['{ viewer { ...f } } fragment f on Viewer { role ...g } fragment g on Viewer { role ...f }'],
  UniqueVariableNamesRule: ['query ($a: Int, $a: Int) { devices(first: $a) { totalCount } }'],
  NoUndefinedVariablesRule: [
    '{ devices(first: $a) { totalCount } }',
    'query A($a: Int) { ...f } query B { ...f } fragment f on Query { devices(first: $a) { totalCount } }',
  ],
  NoUnusedVariablesRule: ['query ($a: Int) { viewer { role } }'],
  KnownDirectivesRule: ['{ viewer { role @nothing } }', 'query @skip(if: true) { viewer { role } }'],
  UniqueDirectivesPerLocationRule: ['{ viewer { role @skip(if: true) @skip(if: true) } }'],
  KnownArgumentNamesRule: ['{ viewer(a: 1) { role } }', '{ viewer { role @skip(if: true, a: 1) } }'],
  UniqueArgumentNamesRule: ['{ devices(first: 1, first: 2) { totalCount } }'],
  ValuesOfCorrectTypeRule: [
    '{ devices(first: "1") { totalCount } }',
    '{ devices(filter: { status: NOTHING }) { totalCount } }',
    'query ($a: Int = "1") { devices(first: $a) { totalCount } }',
  ],
  ProvidedRequiredArgumentsRule: ['{ device { id } }', '{ viewer { role @skip } }'],
  VariablesInAllowedPositionRule: ['query ($a: String) { devices(first: $a) { totalCount } }'],
  OverlappingFieldsCanBeMergedRule: [
    '{ a: viewer { role } a: organization { id } }',
    '{ viewer { a: role ...f } } fragment f on Viewer { a: id }',
  ],
  UniqueInputFieldNamesRule: ['{ devices(filter: { status: ONLINE, status: ONLINE }) { totalCount } }'],
  MaxIntrospectionDepthRule: [`{ __schema { types { ${'fields { type { '.repeat(4)} name ${'} } '.repeat(4)} } } }`],
}

it.each(Object.entries(BROKEN))(
  'what breaks a rule of graphql-js is refused with all that it finds: %s',
  (name, texts) => {
    const rule = specifiedRules.find((each) => each.name === name)
    for (const text of texts) {
      expect(rule && validate(schema, parse(text), [rule]), text).not.toEqual([])
      expect(refusalOf(text), text).toEqual(validate(schema, parse(text)).map(({ message }) => message))
    }
  },
)

it('every rule of graphql-js is tested', () => {
  const NOTHING_TO_FIND = ['SingleFieldSubscriptionsRule'] // the schema has no subscriptions
  const names = specifiedRules.map(({ name }) => name).filter((name) => !NOTHING_TO_FIND.includes(name))
  expect(Object.keys(BROKEN).toSorted()).toEqual(names.toSorted())
})
