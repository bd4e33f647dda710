import {
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { schema } from '../../server/endpoints/schema.ts'

interface Described {
  name: string
  description?: string | null | undefined
}

const own = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
)
const all = own.flatMap((type) => [type, ...partsOf(type)])

describe('the schema on its own', () => {
  it('describes every type, field, argument, input field and enum value', () => {
    expect(all.length).toBeGreaterThan(250)
    expect(all.filter(({ description }) => !description).map(({ name }) => name)).toEqual([])
  })

  it('has sentences: each begins with a capital letter, a digit or code, and ends with a period', () => {
    const isSentence = /^[A-Z0-9`].*\.$/s
    const others = all.filter(({ description }) => description && !isSentence.test(description))
    expect(others.map(({ name }) => name)).toEqual([])
  })
})

/** Fields, arguments and values by the names that people look for, such as `Query.devices(first:)`. */
function partsOf(type: GraphQLNamedType): Described[] {
  if (isEnumType(type)) return type.getValues().map((value) => within(type, value))
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => within(type, field))
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  return Object.values(type.getFields()).flatMap((field) => [
    within(type, field),
    ...field.args.map(({ name, description }) => ({ name: `${type.name}.${field.name}(${name}:)`, description })),
  ])
}

function within(type: GraphQLNamedType, { name, description }: Described): Described {
  return { name: `${type.name}.${name}`, description }
}
