import { buildSchema, type GraphQLFieldExtensions, isObjectType } from 'graphql'
import { expect, it } from 'vitest'
import type { NarrowedAccess } from '../../server/caller/key-rules.ts'
import { upTo } from '../../server/graphql/domain.ts'
import { applyFieldRules } from '../../server/graphql/field-rules.ts'

const TOY = `
  type Query { devices(names: [String!]): [Device!] }
  type Mutation { createDevice: Device }
  type Device { id: ID! secret: String key: Key } type Key { id: ID! }`

const OPEN = { accesses: ['READ_ONLY', 'DEVICES'] } as const

type Declared = GraphQLFieldExtensions<unknown, unknown>

/** The rules of a schema whose fields declare this, by `Type.field`. */
function withRules(fields: Record<string, Declared>, types: Record<string, NarrowedAccess[]> = {}) {
  const schema = buildSchema(TOY)
  for (const [name, declared] of Object.entries(fields)) {
    const [typeName = '', fieldName = ''] = name.split('.')
    const type = schema.getType(typeName)
    const field = isObjectType(type) ? type.getFields()[fieldName] : undefined
    if (!field) throw new Error(`No field ${name}.`)
    field.extensions = declared
    for (const arg of field.args) arg.extensions = upTo(2, { max: 3 }).extensions
  }
  for (const [name, access] of Object.entries(types))
    Object.assign(schema.getType(name) ?? {}, { extensions: { access } })
  return applyFieldRules(schema)
}

const ALL: Record<string, Declared> = {
  'Query.devices': { access: { name: 'devices', ...OPEN }, cost: { maxItems: 1 } },
  'Mutation.createDevice': { access: { name: 'createDevice', accesses: ['DEVICES'] }, effect: 'WRITES' },
  'Device.id': { access: { name: 'Device.id', ...OPEN } },
  'Device.secret': { access: { name: 'Device.secret', accesses: [] } },
  'Device.key': { access: { name: 'Device.key', accesses: ['READ_ONLY'] } },
  'Key.id': { access: { name: 'Key.id', accesses: ['READ_ONLY'] } },
}

it('a schema is built if every field declares what it has to', () => {
  expect(() => withRules(ALL)).not.toThrow()
})

it.for<[string, Declared, string]>([
  ['Query.devices', { cost: { maxItems: 1 } }, 'Query.devices does not declare its access.'],
  ['Mutation.createDevice', { effect: 'WRITES' }, 'Mutation.createDevice does not declare its access.'],
  ['Device.secret', {}, 'Device.secret does not declare its access.'],
  ['Key.id', {}, 'Key.id does not declare its access.'],
  [
    'Query.devices',
    { access: { name: 'devices', ...OPEN } },
    'Query.devices does not declare how many entries it has.',
  ],
  [
    'Mutation.createDevice',
    { access: { name: 'createDevice', accesses: [] } },
    'createDevice does not declare its effect.',
  ],
])('no schema is built otherwise: %s with %j', ([name, declared, error]) => {
  expect(() => withRules({ ...ALL, [name]: declared })).toThrow(error)
})

it('the access that a type declares counts for its fields, unless DEVICES or CHECK_IN reach the type', () => {
  const undeclared = { ...ALL, 'Key.id': {} }
  expect(() => withRules(undeclared, { Key: ['READ_ONLY'] })).not.toThrow()
  const reached = { ...undeclared, 'Device.key': { access: { name: 'Device.key', ...OPEN } } }
  expect(() => withRules(reached, { Key: ['READ_ONLY'] })).toThrow('Key.id does not declare its access.')
})

it('of a root type each field declares its access, whatever the type does', () => {
  const undeclared = { ...ALL, 'Mutation.createDevice': { effect: 'WRITES' } as const }
  expect(() => withRules(undeclared, { Mutation: ['READ_ONLY'] })).toThrow('createDevice does not declare its access.')
})
