import { type GraphQLInputType, getNullableType, isEnumType, isInputObjectType, isListType } from 'graphql'

const NAME = /^[_A-Za-z][_0-9A-Za-z]*$/

/** A value as it stands in a document, also one that does not fit the type. */
export function literal(value: unknown, type: GraphQLInputType): string {
  const plain = getNullableType(type)
  if (Array.isArray(value)) {
    const item = isListType(plain) ? plain.ofType : type
    return `[${value.map((each) => literal(each, item)).join(', ')}]`
  }
  if (typeof value === 'object' && value !== null) {
    const fields = isInputObjectType(plain) ? plain.getFields() : {}
    return `{ ${Object.entries(value)
      .map(([name, each]) => `${name}: ${literal(each, fields[name]?.type ?? type)}`)
      .join(', ')} }`
  }
  if (isEnumType(plain) && typeof value === 'string' && NAME.test(value)) return value
  return JSON.stringify(value) ?? 'null'
}
