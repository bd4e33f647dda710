import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { unreachable, unreadable } from './client.ts'
import { recordRequest } from './reach.ts'

interface Named {
  name: string
  description: string
  /** Why, and what to use instead. */
  deprecated?: string
}

export interface ReferenceInput extends Named {
  /** As the schema writes it: `[String!]!`. */
  type: string
  default?: string
}

export interface ReferenceField extends Named {
  type: string
  args?: ReferenceInput[]
}

export interface ReferenceRootField extends ReferenceField {
  /** The accesses of a key that include it; none: for people alone. */
  access: string[]
}

export interface ReferenceType extends Named {
  kind: string
  fields?: (ReferenceField & ReferenceInput)[]
  values?: Named[]
}

export interface Reference {
  queries: ReferenceRootField[]
  mutations: ReferenceRootField[]
  types: ReferenceType[]
}

/**
 * Every query, mutation and type, as printed from the schema of the server that this build belongs to. It is fetched as
 * data: as a part of the scripts it would be the largest of them.
 */
export const referenceQuery = queryOptions({
  queryKey: ['schema-reference'],
  queryFn: async (): Promise<Reference> => {
    const address = new URL('./schema-reference.json', import.meta.url)
    const response = await fetch(address).catch(() => undefined)
    if (!response) throw unreachable()
    if (!response.ok) throw unreadable(response.status, 'reads')
    return response.json()
  },
  staleTime: Number.POSITIVE_INFINITY,
  structuralSharing: false,
})

/** The reference inside a page, where the route has asked for it already. */
export const useReference = () => useSuspenseQuery(referenceQuery).data

/** As the signed-in person in the organization of this slug, or as a key. */
export type Caller = { slug: string } | { secret: string }

const TIMEOUT_MS = 30_000

/** One operation that a person wrote, and its answer as it is, errors included. */
export async function explore(operation: object, caller: Caller): Promise<object> {
  const [path, headers] =
    'secret' in caller
      ? (['/graphql', { 'api-secret': caller.secret }] as const)
      : (['/portal/graphql', { 'portal-organization': caller.slug }] as const)
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(operation),
    credentials: 'secret' in caller ? 'omit' : 'same-origin', // a key goes without the session
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined)
  recordRequest(response !== undefined)
  if (!response) throw unreachable('changes')
  const answer: unknown = await response.json().catch(() => undefined)
  if (typeof answer !== 'object' || answer === null) throw unreadable(response.status, 'changes')
  return answer
}
