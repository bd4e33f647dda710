import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSchema, type GraphQLSchema } from 'graphql'
import { ROOT } from '../support/sources.ts'

/** A GraphQL request as it is sent. */
export interface GraphqlCall {
  query: string
  variables?: Record<string, unknown>
  operationName?: string
  extensions?: Record<string, unknown>
}

/** Any other request: to a path of its own, with headers beside those of the caller, and a body as it is sent. */
export interface PlainCall {
  path: string
  headers: Record<string, string>
  body: string
}

export type Call = GraphqlCall | PlainCall

/** What came back; no status: nothing did. */
export interface CallAnswer {
  status: number | undefined
  body: string
  ms: number
  /** Points of the rate limit that the caller has left. */
  pointsLeft?: number | undefined
}

/** The contract that documents are generated from: what is printed, not what is built. */
export const readSchema = (): GraphQLSchema => buildSchema(readFileSync(join(ROOT, 'schema.graphql'), 'utf8'))

export const isPlain = (call: Call): call is PlainCall => 'body' in call

export const bodyOf = (call: Call): string => (isPlain(call) ? call.body : JSON.stringify(call))
