import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type FieldRequiredness,
  type InputFieldMap,
  type InputType,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  type PothosTypeConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core'
import type { FieldAccess, NarrowedAccess } from '../caller/key-rules.ts'
import type { FieldCost } from './cost.ts'

/**
 * What a mutation does, as far as its retries and dry runs depend on it. Everything that it does must be in its one
 * transaction.
 * - ENDS_ACCESS takes access away: it works on a full disk too, and beyond the bytes of an organization.
 * - GIVES_SECRET answers with a secret or a link, which a dry run would show although it works nowhere.
 * - TAKES_SECRET is about a secret that the caller sends, and takes its access away.
 */
export type Effect = 'WRITES' | 'ENDS_ACCESS' | 'GIVES_SECRET' | 'TAKES_SECRET'

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      fieldOptions: FieldOptionsPlugin<Types>
    }

    interface ObjectTypeOptions<Types extends SchemaTypes = SchemaTypes, Shape = unknown> {
      /** The `access` of its fields that declare none. Not for a type that DEVICES or CHECK_IN reach: there each field declares its own. */
      access?: readonly NarrowedAccess[]
    }

    interface FieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      ParentShape = unknown,
      Type extends TypeParam<Types> = TypeParam<Types>,
      Nullable extends FieldNullability<Type> = FieldNullability<Type>,
      Args extends InputFieldMap = InputFieldMap,
      ResolveShape = unknown,
      ResolveReturnShape = unknown,
    > {
      cost?: FieldCost
      /** The accesses of a key that include the field, beside ADMIN. */
      access?: readonly NarrowedAccess[]
    }

    interface QueryFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > {
      access: readonly NarrowedAccess[]
      idOf?: FieldAccess['idOf']
    }

    interface MutationFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > {
      access: readonly NarrowedAccess[]
      idOf?: FieldAccess['idOf']
      effect: Effect
    }

    interface ArgFieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      Type extends InputType<Types> | [InputType<Types>] = InputType<Types> | [InputType<Types>],
      Req extends FieldRequiredness<Type> = FieldRequiredness<Type>,
    > {
      /** With this argument, all of a list may have to be read to fill a page (`COST_OF_SEARCH`). */
      isSearch?: true
    }
  }
}

declare module 'graphql' {
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> {
    access?: readonly NarrowedAccess[]
  }

  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    access?: FieldAccess
    cost?: FieldCost
    effect?: Effect
    /** The type of the field is nullable, but without an error there is data. */
    isNullOnlyOnError?: boolean
  }

  interface GraphQLArgumentExtensions {
    isSearch?: boolean
  }
}

type Declared = PothosSchemaTypes.MutationFieldOptions<SchemaTypes, 'ID', false, InputFieldMap, unknown>

/**
 * Keeps what fields declare in the extensions of the schema. Makes root fields nullable, so that one that fails does not
 * take the others' answers with it; resolvers are typed as before: they return or throw.
 */
class FieldOptionsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>) {
    const { kind, type, name, parentType, pothosOptions } = field
    const { cost, access, idOf, effect } = pothosOptions as Partial<Declared> // the options above
    const isRoot = kind === 'Query' || kind === 'Mutation'
    const extensions = {
      ...field.extensions,
      ...(cost && { cost }),
      ...(effect && { effect }),
      ...(access && { access: { name: isRoot ? name : `${parentType}.${name}`, accesses: access, idOf } }),
      ...(isRoot && { isNullOnlyOnError: !type.nullable }),
    }
    return { ...field, extensions, type: isRoot ? { ...type, nullable: true } : type }
  }

  override onTypeConfig(type: PothosTypeConfig) {
    const { access } = type.pothosOptions as { access?: readonly NarrowedAccess[] } // the option of object types above
    return access ? { ...type, extensions: { ...type.extensions, access } } : type
  }

  override onInputFieldConfig(field: PothosInputFieldConfig<Types>) {
    const { isSearch } = field.pothosOptions as { isSearch?: true } // the option of arguments above
    return isSearch ? { ...field, extensions: { ...field.extensions, isSearch } } : field
  }
}

SchemaBuilder.registerPlugin('fieldOptions', FieldOptionsPlugin)
