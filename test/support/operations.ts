import type { GraphQLSchema } from 'graphql'
import { readDocument } from '../../server/graphql/document.ts'
import { createOperations, type Operation } from '../../server/graphql/operation.ts'

/** Finds or prepares operations as the doors do, without a rate limit. */
export function operationsOf(schema: GraphQLSchema) {
  const operations = createOperations(schema)
  return (text: string, name: string | null = null): Operation =>
    operations.find(text, name) ?? operations.prepare(text, name, readDocument(text))
}
