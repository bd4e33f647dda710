import type { FieldRef } from '@pothos/core'
import type { NarrowedAccess } from '../caller/key-rules.ts'
import type { Types } from './builder.ts'

type Scalar<Value> = Value extends boolean
  ? 'Boolean'
  : Value extends number
    ? 'Int' | 'Float' | 'DateTime'
    : Value extends string
      ? 'ID' | 'String'
      : never

type TypeOf<Value> = null extends Value ? Scalar<NonNullable<Value>> : `${Scalar<Value>}!`

/** Descriptions by name and type, written as in the schema: `'label: String!': 'What the key is for.'`. */
type PlainFields<Source> = { [Name in keyof Source & string as `${Name}: ${TypeOf<Source[Name]>}`]?: string }

/** A field builder of Pothos where it cannot follow the names and types, which are checked elsewhere. */
export interface Exposing {
  expose(name: string, options: object): FieldRef<Types, unknown, 'Object'>
}

/** The fields of a type that only read a property. These accesses include all of them, or else those that the type declares. */
export const plainFields = <Source>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Types, Source>,
  ...table: [fields: PlainFields<Source>] | [access: readonly NarrowedAccess[], fields: PlainFields<Source>]
) => {
  const [fields, access] = table.length === 1 ? table : [table[1], table[0]]
  return Object.fromEntries(
    Object.entries<string | undefined>(fields).map(([field, description]) => {
      const [, name = '', type = '', isRequired] = /^(\w+): (\w+)(!?)$/.exec(field) ?? []
      const options = { access, type, nullable: !isRequired, description }
      return [name, (t as unknown as Exposing).expose(name, options)]
    }),
  )
}
