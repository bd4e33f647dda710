import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSchema, type GraphQLSchema } from 'graphql'
import { ROOT } from '../support/sources.ts'

/** A GraphQL request as it is sent. */
export interface GraphqlCall {
  query: string
  variables?: Record<string, unknown>
  operationName?: string
}

/** What came back; no status: nothing did. */
export interface CallAnswer {
  status: number | undefined
  body: string
  ms: number
}

/** The contract that documents are generated from: what is printed, not what is built. */
export const readSchema = (): GraphQLSchema => buildSchema(readFileSync(join(ROOT, 'schema.graphql'), 'utf8'))

export const bodyOf = (call: GraphqlCall): string => JSON.stringify(call)
