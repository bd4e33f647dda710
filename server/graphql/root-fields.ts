import { type DocumentNode, type FragmentDefinitionNode, Kind, type OperationDefinitionNode } from 'graphql'
import { fragmentsOf } from './measure.ts'

/**
 * The fields of the root type that a validated operation requests, each once, by their names in the schema: fragments
 * are expanded and aliases resolved. Fields that @skip or @include may leave out are among them. Introspection is not:
 * it is open to everybody.
 */
export function rootFieldsOf(document: DocumentNode, { selectionSet }: OperationDefinitionNode): readonly string[] {
  const names = new Set<string>()
  const fragments = fragmentsOf(document)
  const expanded = new Set<FragmentDefinitionNode>()

  const collect = ({ selections }: OperationDefinitionNode['selectionSet']): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        if (!node.name.value.startsWith('__')) names.add(node.name.value)
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        collect(node.selectionSet)
      } else {
        const fragment = fragments.get(node.name.value)
        if (!fragment || expanded.has(fragment)) continue
        expanded.add(fragment)
        collect(fragment.selectionSet)
      }
    }
  }

  collect(selectionSet)
  return [...names]
}
