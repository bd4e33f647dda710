import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { unreachable, unreadable } from './client.ts'

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

/** The same inside a page, where the route has asked for it already. */
export const useReference = () => useSuspenseQuery(referenceQuery).data
