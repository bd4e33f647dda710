import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql'

/** A type or field as a client has to know it. */
export interface SchemaEntry {
  /** `Query.devices` or `Device`. */
  name: string
  /** `Query.devices(first: Int = 100): DeviceList!`, or the whole type on one line. */
  signature: string
  description: string
}

export interface SchemaMatches {
  matches: SchemaEntry[]
  /** On all pages. */
  total: number
}

interface Indexed extends SchemaEntry {
  nameWords: readonly string[]
  text: string
  isRoot: boolean
}

const MAX_WORDS = 12

/** Words of a question that say nothing about what is looked for. */
const COMMON = new Set('a all an and by do find for get how i in is list me of on or show the to what with'.split(' '))

/** Finds types and fields by words, the best matches first: by name rather than by description, root fields first. */
export function createSchemaSearch(schema: GraphQLSchema) {
  const entries = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .flatMap(entriesOf)
    .map((entry): Indexed => ({ ...entry, ...indexOf(entry) }))

  return function search(words: string, { first, offset }: { first: number; offset: number }): SchemaMatches {
    const given = wordsIn(words)
    const telling = given.filter((word) => !COMMON.has(word))
    const wanted = (telling.length > 0 ? telling : given).slice(0, MAX_WORDS)
    const found = entries
      .map((entry) => ({ entry, points: pointsOf(entry, wanted) }))
      .filter(({ points }) => points > 0)
      .sort((a, b) => b.points - a.points || (a.entry.name < b.entry.name ? -1 : 1))
    const page = found.slice(offset, offset + first)
    return {
      total: found.length,
      matches: page.map(({ entry: { name, signature, description } }) => ({ name, signature, description })),
    }
  }
}

/** A word in the name counts more than any number of others in the description. */
function pointsOf({ nameWords, text, isRoot }: Indexed, wanted: readonly string[]): number {
  let points = 0
  for (const word of wanted) {
    if (nameWords.includes(word)) points += 20
    else if (nameWords.some((each) => each.startsWith(word))) points += 10
    else if (text.includes(word)) points += 1
  }
  return points === 0 ? 0 : points + (isRoot ? 15 : 0) - nameWords.length * 0.1
}

function indexOf({ name, signature, description }: SchemaEntry): Omit<Indexed, keyof SchemaEntry> {
  return {
    nameWords: wordsIn(name),
    text: `${description} ${signature}`.toLowerCase(),
    isRoot: /^(Query|Mutation)\./.test(name),
  }
}

/** `apiKeyChanges` and `API keys` have the words `api`, `key` and `change`. */
function wordsIn(text: string): string[] {
  const parts =
    text
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  return [...new Set(parts.map((part) => (part.length > 3 ? part.replace(/s$/, '') : part)))]
}

function entriesOf(type: GraphQLNamedType): SchemaEntry[] {
  const whole = { name: type.name, signature: typeSignature(type), description: type.description ?? '' }
  if (!isObjectType(type)) return [whole]
  const fields = Object.values(type.getFields()).map((field) => ({
    name: `${type.name}.${field.name}`,
    signature: `${type.name}.${fieldSignature(field)}`,
    description: [field.description ?? '', ...argumentNotes(field.args)].join('\n'),
  }))
  return isRootType(type) ? fields : [whole, ...fields]
}

const isRootType = ({ name }: GraphQLNamedType) => name === 'Query' || name === 'Mutation'

function typeSignature(type: GraphQLNamedType): string {
  if (isEnumType(type)) return `enum ${type.name} { ${namesOf(type.getValues())} }`
  if (isInputObjectType(type)) return `input ${type.name} { ${Object.values(type.getFields()).map(typed).join(', ')} }`
  if (!isObjectType(type)) return `scalar ${type.name}`
  return `type ${type.name} { ${Object.values(type.getFields()).map(fieldSignature).join(', ')} }`
}

const namesOf = (values: readonly { name: string }[]) => values.map(({ name }) => name).join(', ')

function fieldSignature({ name, args, type }: GraphQLField<unknown, unknown>): string {
  return `${name}${args.length === 0 ? '' : `(${args.map(typed).join(', ')})`}: ${type}`
}

const typed = ({ name, type, defaultValue }: Pick<GraphQLArgument, 'name' | 'type' | 'defaultValue'>) =>
  `${name}: ${type}${defaultValue === undefined ? '' : ` = ${String(defaultValue)}`}`

const argumentNotes = (args: readonly GraphQLArgument[]) =>
  args.map(({ name, description }) => `- ${name}: ${description ?? ''}`)
