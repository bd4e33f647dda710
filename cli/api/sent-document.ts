import { type DocumentNode, Kind, type OperationDefinitionNode, parse } from 'graphql'
import type { Operation } from './graphql-api.ts'

/** The operation that will run; undefined if the portal will refuse the document. */
function operationIn({ query, operationName }: Operation): OperationDefinitionNode | undefined {
  const operations = parsed(query)?.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION) ?? []
  return operationName === undefined
    ? operations.length === 1
      ? operations[0]
      : undefined
    : operations.find(({ name }) => name?.value === operationName)
}

/** An operation that cannot be parsed here counts as a mutation, to be on the safe side. */
export const isMutation = (operation: Operation) => operationIn(operation)?.operation !== 'query'

/** Whether it is a mutation of one field, which an Idempotency-Key makes safe to repeat. */
export function isSingleWrite(operation: Operation): boolean {
  const node = operationIn(operation)
  const [selection, another] = node?.selectionSet.selections ?? []
  return node?.operation === 'mutation' && selection?.kind === Kind.FIELD && another === undefined
}

/** Whether it takes the cursor of a page as `$after`. */
export const takesCursor = (operation: Operation) =>
  operationIn(operation)?.variableDefinitions?.some(({ variable }) => variable.name.value === 'after') ?? false

function parsed(query: string): DocumentNode | undefined {
  try {
    return parse(query, { noLocation: true, maxTokens: 10_000 })
  } catch {
    return undefined
  }
}
