import type { GraphQLSchema } from 'graphql'
import { readDocument } from '../../../server/graphql/document.ts'
import { createOperations, type Operation } from '../../../server/graphql/prepared-operations.ts'

/** Finds or prepares operations as the doors do, without a rate limit. */
export function operationsOf(schema: GraphQLSchema) {
  const operations = createOperations(schema)
  return (query: string, operationName: string | null = null): Operation =>
    operations.find({ query, operationName }) ?? operations.prepare({ query, operationName }, readDocument(query))
}
