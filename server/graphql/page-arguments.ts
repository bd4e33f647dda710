import { type FieldNode, type GraphQLField, Kind, type OperationDefinitionNode, type ValueNode } from 'graphql'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../lib/page.ts'

const FIRST = 'first'
const INPUTS = 'inputs'

export type Variables = Readonly<Record<string, unknown>>

/** What the cost of a list depends on. */
interface PageArguments {
  first: number
  /** Whether it is searched or filtered: such an argument is given, and is not null. */
  isSearched: boolean
  /** How many entries its argument `inputs` has. */
  inputs: number
}

const searches = (field: GraphQLField<unknown, unknown> | undefined, name: string) =>
  field?.args.find((arg) => arg.name === name)?.extensions.isSearch === true

/** Reads the arguments of lists as they will be with these variables. */
export function readArguments(operation: OperationDefinitionNode, variables: Variables) {
  const defaults = new Map(operation.variableDefinitions?.map((node) => [node.variable.name.value, node.defaultValue]))

  /** As graphql-js does it: a variable may have the name of something that every object inherits. */
  const givenFor = (name: string) => (Object.hasOwn(variables, name) ? variables[name] : undefined)

  function numberOf(value: ValueNode | undefined): number {
    if (value?.kind === Kind.INT) return Number(value.value)
    if (value?.kind !== Kind.VARIABLE) return DEFAULT_PAGE_SIZE
    const given = givenFor(value.name.value)
    if (given === undefined) return numberOf(defaults.get(value.name.value))
    return typeof given === 'number' ? given : DEFAULT_PAGE_SIZE // null takes the argument's default
  }

  function isGiven(value: ValueNode | undefined): boolean {
    if (value?.kind !== Kind.VARIABLE) return value !== undefined && value.kind !== Kind.NULL
    const given = givenFor(value.name.value)
    return given === undefined ? isGiven(defaults.get(value.name.value)) : given !== null
  }

  /** A single value is a list of one. */
  function lengthOf(value: ValueNode | undefined): number {
    if (value?.kind === Kind.LIST) return value.values.length
    if (value?.kind !== Kind.VARIABLE) return 1
    const given = givenFor(value.name.value)
    if (given === undefined) return lengthOf(defaults.get(value.name.value))
    return Array.isArray(given) ? given.length : 1
  }

  return ({ arguments: args = [] }: FieldNode, field: GraphQLField<unknown, unknown> | undefined): PageArguments => {
    const first = args.find((arg) => arg.name.value === FIRST)
    const inputs = args.find((arg) => arg.name.value === INPUTS)
    return {
      inputs: Math.min(lengthOf(inputs?.value), MAX_PAGE_SIZE),
      first: Math.min(Math.max(numberOf(first?.value), 1), MAX_PAGE_SIZE),
      isSearched: args.some(({ name, value }) => searches(field, name.value) && isGiven(value)),
    }
  }
}
