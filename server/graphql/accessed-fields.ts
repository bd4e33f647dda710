import {
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import { includes, includesBelow } from '../key-access.ts'
import type { Fragments } from './measure.ts'

/**
 * What a validated operation requests, as far as the access of a key depends on it, each name once: the fields of the
 * root type by their names in the schema, and fields below as `Type.field` where a narrowed key may see the root field
 * and not that one. Fragments are expanded and aliases resolved. Fields that @skip or @include may leave out are among
 * them. Introspection is not: it is open to everybody.
 */
export function accessedFieldsOf(
  schema: GraphQLSchema,
  fragments: Fragments,
  { operation, selectionSet }: OperationDefinitionNode,
): readonly string[] {
  const names = new Set<string>()
  const root = schema.getRootType(operation)
  const expanded = new Set<FragmentDefinitionNode>()

  const collect = ({ selections }: OperationDefinitionNode['selectionSet'], type: GraphQLObjectType): void => {
    for (const node of selections) {
      if (node.kind === Kind.INLINE_FRAGMENT) {
        collect(node.selectionSet, type)
      } else if (node.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(node.name.value)
        if (!fragment || expanded.has(fragment)) continue // it is of the same type each time
        expanded.add(fragment)
        collect(fragment.selectionSet, type)
      } else if (!node.name.value.startsWith('__')) {
        const name = node.name.value
        if (type === root) names.add(name)
        else if (!includesBelow('DEVICES', type.name, name)) names.add(`${type.name}.${name}`)
        const below = getNamedType(type.getFields()[name]?.type)
        const isOpen = type !== root || includes('DEVICES', name) || includes('CHECK_IN', name)
        if (node.selectionSet && isOpen && isObjectType(below)) collect(node.selectionSet, below)
      }
    }
  }

  if (root) collect(selectionSet, root)
  return [...names]
}
