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
import { schema } from '../../server/endpoints/schema.ts'

const COPY = join(import.meta.dirname, 'contract.graphql')
const ORIGINAL = join(import.meta.dirname, '../../../shared/contract.graphql')

const promised = buildSchema(readFileSync(COPY, 'utf8'))

/** Root fields are nullable by now: one that fails does not take the others' answers with it. */
const NULLABLE_BY_NOW = [
  'viewer: Viewer',
  'organization: Organization',
  'devices: DeviceList',
  'users: UserList',
].concat(['apiKeys: ApiKeyList', 'auditEvents: AuditEventList', 'supportOrganizations: OrganizationList'])
/**
 * What has changed besides: the actions of the audit log are an enum (docs/decisions/0033), and a key that is bound to a
 * device need not name it, which breaks no caller.
 */
const SUPERSEDED = [
  ...NULLABLE_BY_NOW.map((field) => `Query.${field}!`),
  ...['Mutation.checkInDevice(id: ID!)', 'AuditEvent.action: String!', 'AuditEventFilter.action: String'],
]
const AS_BREAKING_CHANGES = [
  ...NULLABLE_BY_NOW.map((field) => {
    const [name, type] = field.split(': ')
    return `Query.${name} changed type from ${type}! to ${type}.`
  }),
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

  it('lets a root field fail beside others: every one is nullable', () => {
    const roots = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
      Object.values(type?.getFields() ?? {}),
    )
    expect(roots.filter(({ type }) => isNonNullType(type)).map(({ name }) => name)).toEqual([])
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
