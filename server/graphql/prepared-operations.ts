import { type DocumentNode, GraphQLError, type GraphQLSchema, Kind, type OperationDefinitionNode } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { FieldAccess } from '../caller/key-rules.ts'
import { AppError } from '../lib/app-error.ts'
import { storable } from '../lib/plain-text.ts'
import { containsSecret, countTokens, InvalidDocument, operationsIn, requireWithinLimits } from './document.ts'
import { accessedFieldsOf } from './field-access.ts'
import { fragmentsOf, measure } from './measure.ts'
import {
  CACHED_OPERATIONS,
  CACHED_TOKENS,
  LONG_FROM_COST,
  MAX_COST,
  MAX_PLANNED_FIELDS,
  MAX_TOKENS,
} from './operation-limits.ts'
import type { Variables } from './page-arguments.ts'
import { type Plan, planQuery } from './plan.ts'
import { requireValid } from './validation.ts'

const TITLE_FIELDS = 5
const TITLE_LENGTH = 80

/** A document that may run: parsed, validated and within the limits. */
export interface Operation {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly node: OperationDefinitionNode
  /** Its title: its name, or else the fields that it requests. */
  readonly title: string
  /** What it requests, as far as the access of a key depends on it. */
  readonly accessedFields: readonly FieldAccess[]
  /** The cost from which its answer may be too long. */
  readonly longFromCost: number
  /** What it costs with these variables, of `MAX_COST`; a more expensive one is refused. */
  costWith(variables: Variables): number
  /** What it reads; undefined: graphql-js runs it. */
  readonly plan: Plan | undefined
}

type Name = string | null | undefined

interface Requested {
  query: string
  operationName?: Name
}

interface Operations {
  find(requested: Requested): Operation | undefined
  /** Checks a document that is not cached, and caches it unless it contains a secret; throws what is wrong with it. */
  prepare(requested: Requested, document: DocumentNode): Operation
}

/** The operations of one schema: each is prepared once. */
export function createOperations(schema: GraphQLSchema): Operations {
  const known = new LRUCache<string, Operation>({
    max: CACHED_OPERATIONS,
    maxSize: CACHED_TOKENS,
    sizeCalculation: ({ document }) => document.tokenCount ?? MAX_TOKENS,
  })

  return {
    find: (requested) => known.get(keyOf(requested)),
    prepare(requested, document) {
      const operation = prepareOperation(schema, requested.query, document, requested.operationName)
      if (!containsSecret(document)) known.set(keyOf(requested), operation)
      return operation
    },
  }
}

function prepareOperation(schema: GraphQLSchema, text: string, document: DocumentNode, name: Name): Operation {
  const node = chooseOperation(document, name)
  if (!schema.getRootType(node.operation)) throw invalid('There are no subscriptions here.')
  const fragments = fragmentsOf(document)
  requireWithinLimits(schema, document, fragments)
  requireValid(schema, text, document)
  const { cost: constantCost, size } = measure(schema, fragments, node, {})
  const hasVariables = (node.variableDefinitions ?? []).length > 0
  const costWith = (variables: Variables) => {
    const cost = hasVariables ? measure(schema, fragments, node, variables).cost : constantCost
    if (cost > MAX_COST) throw new AppError('QUERY_TOO_COMPLEX', { extensions: { cost, maxCost: MAX_COST } })
    return cost
  }
  return {
    schema,
    document,
    node,
    title: titleOf(node),
    accessedFields: accessedFieldsOf(schema, fragments, node),
    longFromCost: longFromCost(document, node),
    costWith,
    plan: size > MAX_PLANNED_FIELDS ? undefined : planQuery(schema, fragments, node),
  }
}

/** The answer to nothing but introspection is never too long. */
function longFromCost(document: DocumentNode, { selectionSet }: OperationDefinitionNode): number {
  const isIntrospection = selectionSet.selections.every(
    (node) => node.kind === Kind.FIELD && node.name.value.startsWith('__'),
  )
  if (isIntrospection) return Number.POSITIVE_INFINITY
  return countTokens(document).aliases > 0 ? 0 : LONG_FROM_COST
}

function titleOf({ name, selectionSet }: OperationDefinitionNode): string {
  if (name) return storable(name.value, TITLE_LENGTH)
  return selectionSet.selections
    .map((node) => (node.kind === Kind.FIELD ? node.name.value : '…'))
    .slice(0, TITLE_FIELDS)
    .join(', ')
    .slice(0, TITLE_LENGTH)
}

/** With the length of the name: no other name and text have this key, whatever is in them. */
const keyOf = ({ query, operationName: name }: Requested) => `${name?.length ?? 0} ${name ?? ''}${query}`

const invalid = (message: string) => new InvalidDocument('GRAPHQL_VALIDATION_FAILED', [new GraphQLError(message)])

function chooseOperation(document: DocumentNode, name: Name): OperationDefinitionNode {
  const all = operationsIn(document)
  const chosen = name ? all.filter((node) => node.name?.value === name) : all
  const [only] = chosen
  if (only && chosen.length === 1) return only
  throw invalid(
    name ? 'The document has no operation of that operationName.' : 'Give operationName: which operation to run.',
  )
}
