import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'

/** A response key: GraphQL's validation compares each field under the same key with each other one, and each fragment. */
interface ResponseKey {
  times: number
  spreads: number
  children: Map<string, ResponseKey>
}

interface Repeats {
  /** How often one field occurs under one response key, at most. */
  repeats: number
  /** How many fragments are spread under one response key, at most. */
  spreads: number
  /** How many fields all operations have together; counting stops above the limit. */
  fields: number
}

/** Counts with all fragments expanded, in every operation and in fragments that none of them uses. */
export function countRepeats(
  document: DocumentNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  mostFields: number,
): Repeats {
  const found = { repeats: 0, spreads: 0, fields: 0 }
  const seen = new Set<string>()

  function walk({ selections }: SelectionSetNode, key: ResponseKey, within: readonly string[]): void {
    for (const node of selections) {
      if (found.fields > mostFields) return
      found.fields++ // a spread counts too, so that no number of empty ones is free
      if (node.kind === Kind.FIELD) {
        const here = responseKeyIn(key, node.alias?.value ?? node.name.value)
        found.repeats = Math.max(found.repeats, here.times)
        if (node.selectionSet) walk(node.selectionSet, here, within)
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        walk(node.selectionSet, key, within)
      } else {
        found.spreads = Math.max(found.spreads, ++key.spreads)
        if (!within.includes(node.name.value)) follow(fragments.get(node.name.value), key, within)
      }
    }
  }

  function follow(fragment: FragmentDefinitionNode | undefined, key: ResponseKey, within: readonly string[]): void {
    if (!fragment) return
    seen.add(fragment.name.value)
    walk(fragment.selectionSet, key, [...within, fragment.name.value])
  }

  for (const node of document.definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION) walk(node.selectionSet, newResponseKey(), [])
  }
  for (const [name, fragment] of fragments) if (!seen.has(name)) follow(fragment, newResponseKey(), [])
  return found
}

const newResponseKey = (): ResponseKey => ({ times: 0, spreads: 0, children: new Map() })

function responseKeyIn({ children }: ResponseKey, name: string): ResponseKey {
  const key = children.get(name) ?? newResponseKey()
  children.set(name, key)
  key.times++
  return key
}
