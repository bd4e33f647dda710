import reference from './schema-reference.json'

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

/** Every query, mutation and type, as printed from the schema of the server that this build belongs to. */
export const REFERENCE: Reference = reference
