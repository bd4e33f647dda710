import { type GraphQLSchema, isEnumType, isInputObjectType, isObjectType } from 'graphql'

const known = new WeakMap<GraphQLSchema, ReadonlyMap<string, number>>()

/** How many entries the lists of introspection have: all types, and for the other lists the average of a type. */
export function lengthsIn(schema: GraphQLSchema): ReadonlyMap<string, number> {
  const before = known.get(schema)
  if (before) return before
  const types = Object.values(schema.getTypeMap())
  const fields = types.filter(isObjectType).flatMap((type) => Object.values(type.getFields()))
  const inputFields = types.filter(isInputObjectType).flatMap((type) => Object.values(type.getFields()))
  const values = types.filter(isEnumType).flatMap((type) => type.getValues())
  const onAverage = (count: number, among: number) => Math.max(1, Math.ceil(count / among))
  const lengths = new Map([
    ['types', types.length],
    ['fields', onAverage(fields.length, types.length)],
    ['inputFields', onAverage(inputFields.length, types.length)],
    ['enumValues', onAverage(values.length, types.length)],
    ['args', onAverage(fields.flatMap(({ args }) => args).length, fields.length)],
    ['directives', schema.getDirectives().length],
    ['ofType', 0.1], // most types are not wrapped, and most wrapped ones only once or twice
  ])
  known.set(schema, lengths)
  return lengths
}
