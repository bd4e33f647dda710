import type { initGraphQLTada, TadaDocumentNode } from 'gql.tada'
import type { introspection } from './schema-types.d.ts'

type Typed = initGraphQLTada<{ introspection: introspection; scalars: { ID: string; DateTime: string; JSON: unknown } }>

/** A document with the types of its variables and its result, worked out by the compiler; at run time it is its text. */
export const graphql = ((text: string) => text) as unknown as Typed // gql.tada's own function would parse it again

/** What a document answers. */
export type ResultOf<Document> = Document extends TadaDocumentNode<infer Result, never> ? Result : never

/** What a document wants. */
export type VariablesOf<Document> = Document extends TadaDocumentNode<unknown, infer Variables> ? Variables : never
