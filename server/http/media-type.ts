export const JSON_TYPE = 'application/json; charset=utf-8'
const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8'

const NAME = 'application/graphql-response+json'
const JSON_RANGES = new Set(['application/json', 'application/*', '*/*'])

/**
 * The type of a GraphQL answer for this Accept header: the first that is known, as graphql-http chooses it. Clients that
 * ask for GraphQL's own type read the errors of a refusal only if it has that type.
 */
export function graphqlType(accept: string | undefined): string {
  if (accept === undefined || !accept.includes(NAME)) return JSON_TYPE
  const ranges = accept.split(',').map((range) => (range.split(';')[0] ?? '').trim().toLowerCase())
  return ranges.find((range) => range === NAME || JSON_RANGES.has(range)) === NAME ? GRAPHQL_TYPE : JSON_TYPE
}
