import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import { Failure } from '../lib/failure.ts'
import { createKept } from '../lib/kept.ts'
import { storable } from '../lib/plain-text.ts'
import {
  MAX_ALIASES,
  MAX_COST,
  MAX_DEPTH,
  MAX_DIRECTIVES,
  MAX_DOCUMENT_CHARACTERS,
  MAX_FRAGMENTS,
  MAX_INTROSPECTION_DEPTH,
  MAX_REPEATS,
  MAX_REPORTED_ERRORS,
  MAX_ROOT_FIELDS,
  MAX_TOKENS,
} from './limits.ts'
import { countDecorations, hasVariablePageSize, measure, type Variables } from './measure.ts'

const KEPT_OPERATIONS = 500
const COMPILED_AT_SIGHTING = 2
const TITLE_FIELDS = 5
const MAX_TITLE = 80

/** A document that may be run: parsed, validated and within the limits. */
export interface Operation {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly node: OperationDefinitionNode
  /** What people know it by: its name, or else the fields that it asks for. */
  readonly title: string
  /** What it costs with these variables, of `MAX_COST`; a dearer one is refused. */
  costWith(variables: Variables): number
  /** The compiled form, from the second sighting on. */
  readonly compiled: CompiledQuery | undefined
}

/** Finds the operation for a text: worked out once, kept while it is in use, compiled when it comes again. */
export function createOperations(schema: GraphQLSchema) {
  const kept = createKept<{ operation: Operation; sightings: number }>(KEPT_OPERATIONS)

  return function findOperation(text: string, name: string | null | undefined): Operation {
    const key = name ? `${name} ${text}` : text
    const entry = kept.get(key) ?? kept.add(key, { operation: prepareOperation(schema, text, name), sightings: 0 })
    entry.sightings++
    if (entry.sightings === COMPILED_AT_SIGHTING) entry.operation = compile(entry.operation, name)
    return entry.operation
  }
}

/** Parses, measures and validates; throws what is wrong, before anything is run. */
function prepareOperation(schema: GraphQLSchema, text: string, name: string | null | undefined): Operation {
  if (text.length > MAX_DOCUMENT_CHARACTERS) throw tooComplex(`more than ${MAX_DOCUMENT_CHARACTERS} characters`)
  const document = parseWithin(text)
  const node = chooseOperation(document, name)
  if (!schema.getRootType(node.operation)) throw invalid([new GraphQLError('There are no subscriptions here.')])
  for (const each of operationsIn(document)) requireWithinLimits(schema, document, each)
  const errors = validate(schema, document, specifiedRules, { maxErrors: MAX_REPORTED_ERRORS })
  if (errors.length > 0) throw invalid(errors.slice(0, MAX_REPORTED_ERRORS))

  const fixedCost = hasVariablePageSize(document) ? undefined : measure(schema, document, node, {}).cost
  const costWith = (variables: Variables) => {
    const cost = fixedCost ?? measure(schema, document, node, variables).cost
    if (cost > MAX_COST) throw new Failure('QUERY_TOO_COMPLEX', { extensions: { cost, maxCost: MAX_COST } })
    return cost
  }
  if (fixedCost !== undefined) costWith({}) // refused once and for all
  return { schema, document, node, title: titleOf(node), costWith, compiled: undefined }
}

function titleOf({ name, selectionSet }: OperationDefinitionNode): string {
  if (name) return storable(name.value, MAX_TITLE)
  return selectionSet.selections
    .map((node) => (node.kind === Kind.FIELD ? node.name.value : '…'))
    .slice(0, TITLE_FIELDS)
    .join(', ')
}

/** What validation found, as it goes to the client. */
export class InvalidDocument extends Error {
  readonly errors: readonly GraphQLError[]
  readonly code: 'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED'

  constructor(code: InvalidDocument['code'], errors: readonly GraphQLError[]) {
    super(code)
    this.code = code
    this.errors = errors
  }
}

const invalid = (errors: readonly GraphQLError[]) => new InvalidDocument('GRAPHQL_VALIDATION_FAILED', errors)

function parseWithin(text: string): DocumentNode {
  try {
    return parse(text, { maxTokens: MAX_TOKENS })
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    if (/tokens\. Parsing aborted/.test(error.message)) throw tooComplex(`more than ${MAX_TOKENS} tokens`)
    throw new InvalidDocument('GRAPHQL_PARSE_FAILED', [error])
  }
}

const operationsIn = (document: DocumentNode) =>
  document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)

function chooseOperation(document: DocumentNode, name: string | null | undefined): OperationDefinitionNode {
  const all = operationsIn(document)
  const chosen = name ? all.filter((node) => node.name?.value === name) : all
  const [only] = chosen
  if (only && chosen.length === 1) return only
  throw invalid([
    new GraphQLError(
      name ? 'The document has no operation of that operationName.' : 'Give operationName: which operation to run.',
    ),
  ])
}

function requireWithinLimits(schema: GraphQLSchema, document: DocumentNode, node: OperationDefinitionNode): void {
  const size = { ...countDecorations(document), ...measure(schema, document, node, {}) }
  const limits: [number, number, string][] = [
    [size.depth, MAX_DEPTH, 'levels of depth'],
    [size.introspectionDepth, MAX_INTROSPECTION_DEPTH, 'levels of introspection'],
    [size.rootFields, MAX_ROOT_FIELDS, 'fields at the root'],
    [size.aliases, MAX_ALIASES, 'aliases'],
    [size.directives, MAX_DIRECTIVES, 'directives'],
    [size.fragments, MAX_FRAGMENTS, 'fragments'],
    [size.repeats, MAX_REPEATS, 'times the same field in one place'],
  ]
  for (const [actual, most, what] of limits) {
    if (actual > most) throw tooComplex(`more than ${most} ${what}`)
  }
}

const tooComplex = (what: string) => new Failure('QUERY_TOO_COMPLEX', { says: `The document is too large: ${what}.` })

/** Introspection is seldom asked for, and takes many times longer to compile than to run. */
function compile(operation: Operation, name: string | null | undefined): Operation {
  if (measure(operation.schema, operation.document, operation.node, {}).introspectionDepth > 0) return operation
  // Numbers, strings and enums go out as our own code gives them, which the compiler of TypeScript has checked; nulls are
  // looked for all the same, and a DateTime is written as one.
  const compiled = compileQuery(operation.schema, operation.document, name ?? undefined, {
    disableLeafSerialization: true,
  })
  return isCompiledQuery(compiled) ? { ...operation, compiled } : operation
}
