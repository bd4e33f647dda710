import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  astFromValue,
  buildSchema,
  findBreakingChanges,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  print,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { NON_NULL_ROOTS } from '../../server/graphql/nullable-roots.ts'
import { schema } from '../../server/schema.ts'

const COPY = join(import.meta.dirname, 'contract.graphql')
const ORIGINAL = join(import.meta.dirname, '../../../shared/contract.graphql')

const promised = buildSchema(readFileSync(COPY, 'utf8'))

/**
 * What has changed since: the actions of the audit log are an enum (docs/decisions/0033), and a key that is bound to a
 * device need not name it, which breaks no caller.
 */
const SUPERSEDED = ['Mutation.checkInDevice(id: ID!)', 'AuditEvent.action: String!', 'AuditEventFilter.action: String']
const AS_BREAKING_CHANGES = [
  'AuditEvent.action changed type from String! to AuditAction!.',
  'AuditEventFilter.action changed type from String to AuditAction.',
]

describe('the contract', () => {
  it('is met: every type, field, argument, default and enum value of it is in the schema', () => {
    const held = new Set(factsOf(schema))
    expect(factsOf(promised).filter((fact) => !held.has(fact))).toEqual(SUPERSEDED)
  })

  it('is not broken by additions to the schema, such as a required argument', () => {
    expect(findBreakingChanges(promised, schema).map((change) => change.description)).toEqual(AS_BREAKING_CHANGES)
  })

  it('lets a root field fail beside others: every one is nullable, except those of Query that the contract promises', () => {
    const nonNull = (of: GraphQLSchema) =>
      [of.getQueryType(), of.getMutationType()]
        .flatMap((type) => Object.values(type?.getFields() ?? {}))
        .filter(({ type }) => isNonNullType(type))
        .map(({ name }) => name)
    expect(nonNull(schema).toSorted()).toEqual(nonNull(promised).toSorted())
    expect(NON_NULL_ROOTS.toSorted()).toEqual(nonNull(promised).toSorted())
  })

  it.skipIf(!existsSync(ORIGINAL))('is the one of the design documents, where they lie beside the project', () => {
    expect(readFileSync(COPY, 'utf8')).toBe(readFileSync(ORIGINAL, 'utf8'))
  })
})

/** All that a schema promises, a line each, such as `Query.devices(first: Int = 100)`. */
function factsOf(schema: GraphQLSchema): string[] {
  const types = Object.values(schema.getTypeMap()).filter((type) => !type.name.startsWith('__'))
  return types.flatMap((type) => [
    `${type.constructor.name} ${type.name}`,
    ...partsOf(type).map((part) => `${type.name}${part}`),
  ])
}

function partsOf(type: GraphQLNamedType): string[] {
  if (isEnumType(type)) return type.getValues().map((value) => `.${value.name}`)
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => `.${inputOf(field)}`)
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  return Object.values(type.getFields()).flatMap((field) => [
    `.${field.name}: ${field.type}`,
    ...field.args.map((arg) => `.${field.name}(${inputOf(arg)})`),
  ])
}

function inputOf({ name, type, defaultValue }: GraphQLArgument | GraphQLInputField): string {
  const byDefault = astFromValue(defaultValue, type)
  return `${name}: ${type}${byDefault ? ` = ${print(byDefault)}` : ''}`
}
