import { type FieldNode, Kind, type SelectionSetNode } from 'graphql'
import { fragmentsOf } from './measure.ts'
import type { Operation } from './operation.ts'

/**
 * The root fields of a validated operation, one for each name in the answer, with fragments expanded. Fields that @skip
 * or @include may leave out are among them; `__typename` is not.
 */
export function rootFieldsOf({ document, node: { selectionSet } }: Pick<Operation, 'document' | 'node'>): FieldNode[] {
  const fragments = fragmentsOf(document)
  const found = new Map<string, FieldNode>()
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet)
      else if (node.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(node.name.value)
        if (fragment) collect(fragment.selectionSet)
      } else if (!node.name.value.startsWith('__')) found.set((node.alias ?? node.name).value, node)
    }
  }
  collect(selectionSet)
  return [...found.values()]
}
