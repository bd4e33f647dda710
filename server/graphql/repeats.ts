import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'

/** A response key: GraphQL's validation compares each field under the same key with each other one. */
interface Place {
  times: number
  inside: Map<string, Place>
}

interface Repeats {
  /** How often one field occurs under one response key, at most. */
  repeats: number
  /** How many fields all operations have together; counting stops above the limit. */
  fields: number
}

/** Counts with all fragments expanded, in every operation and in fragments that none of them uses. */
export function countRepeats(
  document: DocumentNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  mostFields: number,
): Repeats {
  const found = { repeats: 0, fields: 0 }
  const seen = new Set<string>()

  function walk({ selections }: SelectionSetNode, place: Place, within: readonly string[]): void {
    for (const node of selections) {
      if (found.fields > mostFields) return
      found.fields++ // a spread counts too, so that no number of empty ones is free
      if (node.kind === Kind.FIELD) {
        const here = placeFor(place, node.alias?.value ?? node.name.value)
        found.repeats = Math.max(found.repeats, here.times)
        if (node.selectionSet) walk(node.selectionSet, here, within)
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        walk(node.selectionSet, place, within)
      } else if (!within.includes(node.name.value)) {
        follow(fragments.get(node.name.value), place, within)
      }
    }
  }

  function follow(fragment: FragmentDefinitionNode | undefined, place: Place, within: readonly string[]): void {
    if (!fragment) return
    seen.add(fragment.name.value)
    walk(fragment.selectionSet, place, [...within, fragment.name.value])
  }

  for (const node of document.definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION) walk(node.selectionSet, newPlace(), [])
  }
  for (const [name, fragment] of fragments) if (!seen.has(name)) follow(fragment, newPlace(), [])
  return found
}

const newPlace = (): Place => ({ times: 0, inside: new Map() })

function placeFor({ inside }: Place, name: string): Place {
  const place = inside.get(name) ?? newPlace()
  inside.set(name, place)
  place.times++
  return place
}
