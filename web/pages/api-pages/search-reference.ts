import type { Reference, ReferenceField, ReferenceRootField, ReferenceType } from '../../api/schema-reference.ts'

/** What mentions every word: in a name, a description, an argument, a field or a value. Hits by name are first. */
export function searchReference({ queries, mutations, types }: Reference, search: string): Reference {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return { queries, mutations, types }
  const found = <Item extends ReferenceRootField | ReferenceType>(items: Item[]) =>
    items
      .map((item) => ({ item, rank: rankOf(item, words) }))
      .filter(({ rank }) => rank > 0)
      .sort((a, b) => b.rank - a.rank)
      .map(({ item }) => item)
  return { queries: found(queries), mutations: found(mutations), types: found(types) }
}

/** 3: it has that name, 2: its name has every word, 1: all that is said of it does, 0: it does not. */
function rankOf(item: ReferenceRootField | ReferenceType, words: string[]): number {
  const name = item.name.toLowerCase()
  if (words.length === 1 && name === words[0]) return 3
  if (words.every((word) => name.includes(word))) return 2
  const text = textOf(item).join(' ').toLowerCase()
  return words.every((word) => text.includes(word)) ? 1 : 0
}

function textOf(item: ReferenceRootField | ReferenceType): string[] {
  const parts = 'kind' in item ? [...(item.fields ?? []), ...(item.values ?? [])] : (item.args ?? [])
  return [item.name, item.description, ...('type' in item ? [item.type] : []), ...parts.flatMap(wordsOf)]
}

const wordsOf = (part: Pick<ReferenceField, 'name' | 'description'> & { type?: string; args?: { name: string }[] }) => [
  part.name,
  part.description,
  part.type ?? '',
  ...(part.args ?? []).map(({ name }) => name),
]
