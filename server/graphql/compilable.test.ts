import {
  isAbstractType,
  isInputObjectType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  parse,
} from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '../schema.ts'
import { isCompilable, isHarmlessName } from './compilable.ts'
import { operationsIn } from './document.ts'

/*
 * That what is compiled answers as graphql-js does is shown in execute.test.ts. Here: what that depends on in the schema.
 */

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
const objects = types.filter(isObjectType)

it('no type is abstract: the types of values would be part of the names in the code', () => {
  expect(types.filter(isAbstractType)).toEqual([])
})

it('no field of the schema has a name that is not compiled', () => {
  const names = [...objects, ...types.filter(isInputObjectType)].flatMap((type) => Object.keys(type.getFields()))
  expect(names.length).toBeGreaterThan(100)
  expect(names.filter((name) => !isHarmlessName(name))).toEqual([])
})

it('the name of a type and a field together is that of no other: resolvers are found by it', () => {
  const names = objects.flatMap((type) => Object.keys(type.getFields()).map((field) => type.name + field))
  expect(new Set(names).size).toBe(names.length)
})

it('nothing that must not be null has a default: it would be lost inside of a variable', () => {
  const fields = types.filter(isInputObjectType).flatMap((type) => Object.values(type.getFields()))
  const args = objects.flatMap((type) => Object.values(type.getFields()).flatMap((field) => field.args))
  const withDefault = [...fields, ...args].filter(({ defaultValue }) => defaultValue !== undefined)
  expect(withDefault.length).toBeGreaterThan(10)
  expect(withDefault.filter(({ type }) => String(type).endsWith('!'))).toEqual([])
  expect([...fields.filter(isRequiredInputField), ...args.filter(isRequiredArgument)].length).toBeGreaterThan(10)
})

it.each([
  ['{ devices(first: 20) { data { id name } } }', true],
  [
    'query ($n: Int = 20, $f: DeviceFilter, $o: [DeviceOrder!]) { devices(first: $n) { data { ...d } } } fragment d on Device { id }',
    true,
  ],
  [
    '{ devices(search: "edge-1 in Lyon, rack 5/7; a_b@c.d:1+2") { first: data { id __typename type: __typename } } }',
    true,
  ],
  ['mutation { deleteDevice(id: "1") }', false],
  ['{ devices @skip(if: false) { totalCount } }', false],
  ['query @later { devices { totalCount } }', false],
  ['{ devices { ...d } } fragment d on DeviceList @x { totalCount }', false],
  ['{ device(id: "a__b") { id } }', false],
  ['{ device(id: "\\u005f_MAGIC") { id } }', false],
  ['{ device(id: """__""") { id } }', false],
  ['{ devices(search: "a\\nb") { totalCount } }', false],
  ['{ devices(search: "\\"") { totalCount } }', false],
  ['{ devices(filter: { tags: ["__"] }) { totalCount } }', false],
  ['query ($s: String) { devices(filter: { tags: [$s] }) { totalCount } }', false],
  ['query ($s: DeviceStatus) { devices(filter: { status: $s }) { totalCount } }', false],
  ['query ($n: Int! = 5) { devices(first: $n) { totalCount } }', false],
  ['query ($s: String = "x") { devices(search: $s) { totalCount } }', false],
  ['query ($f: DeviceFilter = { enabled: true }) { devices(filter: $f) { totalCount } }', false],
  ['query ($_n: Int) { devices(first: $_n) { totalCount } }', false],
  ['query ($valueOf: Int) { devices(first: $valueOf) { totalCount } }', false],
  [`{ ${'a'.repeat(41)}: devices { totalCount } }`, false],
  [`query ($${'a'.repeat(41)}: Int) { devices(first: $${'a'.repeat(41)}) { totalCount } }`, false],
  ['{ a_b: devices { totalCount } }', false],
  ['{ devices { toString: totalCount } }', false],
  ['{ devices { ...d } } fragment d on DeviceList { a_b: totalCount }', false],
])('%s', (text, expected) => {
  const document = parse(text)
  const [operation] = operationsIn(document)
  expect(operation && isCompilable(document, operation)).toBe(expected)
})
