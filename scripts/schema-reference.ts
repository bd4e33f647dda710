import {
  astFromValue,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  print,
} from 'graphql'

/** The schema as the reference of the web interface shows it, one type a line, so that a diff shows only changes. */
export function printReference(schema: GraphQLSchema): string {
  const [queries, mutations] = [schema.getQueryType(), schema.getMutationType()]
  const types = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .filter((type) => type !== queries && type !== mutations)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const lists = [
    list('queries', Object.values(queries?.getFields() ?? {}).map(rootField)),
    list('mutations', Object.values(mutations?.getFields() ?? {}).map(rootField)),
    list('types', types.map(typeOf)),
  ]
  return `{${lists.join(',')}}\n`
}

const list = (name: string, items: object[]) =>
  `"${name}":[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]`

/** What the description says of a field that only a person may call, whatever the access of a key. */
const NOT_FOR_KEYS = /For a (signed-in )?person|support alone/

/** With the accesses of a key that include it, from the most to the least. */
const rootField = (field: GraphQLField<unknown, unknown>) => ({
  ...fieldOf(field),
  access: NOT_FOR_KEYS.test(field.description ?? '') ? [] : ['ADMIN', ...(field.extensions.access?.accesses ?? [])],
})

function typeOf(type: GraphQLNamedType) {
  const named = { name: type.name, description: type.description ?? '' }
  if (isEnumType(type)) return { kind: 'enum', ...named, values: type.getValues().map(described) }
  if (isScalarType(type)) return { kind: 'scalar', ...named }
  if (isInputObjectType(type)) return { kind: 'input', ...named, fields: Object.values(type.getFields()).map(inputOf) }
  if (isObjectType(type)) return { kind: 'type', ...named, fields: Object.values(type.getFields()).map(fieldOf) }
  throw new Error(`The reference does not know how to show ${type}.`)
}

const fieldOf = (field: GraphQLField<unknown, unknown>) => ({
  ...described(field),
  type: String(field.type),
  ...(field.args.length > 0 && { args: field.args.map(inputOf) }),
})

const inputOf = (input: GraphQLArgument | GraphQLInputField) => ({
  ...described(input),
  type: String(input.type),
  ...(input.defaultValue !== undefined && { default: printedDefault(input) }),
})

/** As a document would have it: an enum value without quotes. */
function printedDefault({ defaultValue, type }: GraphQLArgument | GraphQLInputField): string {
  const node = astFromValue(defaultValue, type)
  return node ? print(node) : ''
}

interface Described {
  name: string
  description?: string | null | undefined
  deprecationReason?: string | null | undefined
}

const described = ({ name, description, deprecationReason }: Described) => ({
  name,
  description: description ?? '',
  ...(deprecationReason && { deprecated: deprecationReason }),
})
