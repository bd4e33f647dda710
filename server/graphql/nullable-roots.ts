import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core'

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      nullableRoots: NullableRoots<Types>
    }
  }
}

/**
 * Makes the root fields nullable, so that one that fails does not take the others' answers with it. Resolvers are typed
 * as before: they return or throw, so without an error there is data, which `isNullOnlyOnError` says.
 */
class NullableRoots<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>) {
    const { kind, type, extensions } = field
    if (kind !== 'Query' && kind !== 'Mutation') return field
    const isNullOnlyOnError = !type.nullable
    return { ...field, type: { ...type, nullable: true }, extensions: { ...extensions, isNullOnlyOnError } }
  }
}

SchemaBuilder.registerPlugin('nullableRoots', NullableRoots)
