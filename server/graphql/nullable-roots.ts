import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core'

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      nullableRoots: NullableRoots<Types>
    }
  }
}

/** Those that the public contract (test/contract/contract.graphql) promises as non-null: if one fails, there is no data. */
export const NON_NULL_ROOTS: readonly string[] = [
  'viewer',
  'organization',
  'devices',
  'users',
  'apiKeys',
  'auditEvents',
  'supportOrganizations',
]

/**
 * Makes the root fields nullable, so that one that fails does not take the others' answers with it. Resolvers are typed
 * as before: they return or throw, so without an error there is data, which `isNullOnlyOnError` says.
 */
class NullableRoots<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>) {
    const { kind, name, type, extensions } = field
    if ((kind !== 'Query' && kind !== 'Mutation') || NON_NULL_ROOTS.includes(name)) return field
    const isNullOnlyOnError = !type.nullable
    return { ...field, type: { ...type, nullable: true }, extensions: { ...extensions, isNullOnlyOnError } }
  }
}

SchemaBuilder.registerPlugin('nullableRoots', NullableRoots)
