import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core'

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      nullableMutations: NullableMutations<Types>
    }
  }
}

/**
 * Makes every root field of Mutation nullable, so that one that fails does not take the others' answers with it.
 * Resolvers are typed as before: they return or throw, so a mutation without an error has its data.
 */
class NullableMutations<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>) {
    return field.kind === 'Mutation' ? { ...field, type: { ...field.type, nullable: true } } : field
  }
}

SchemaBuilder.registerPlugin('nullableMutations', NullableMutations)
