import { useQuery } from '@tanstack/react-query'
import { apiKeysQuery, type ListedKey } from '../../api/api-keys.ts'
import { type Descendant, descendantsQuery } from '../../api/descendants.ts'

/** The keys that a key generated, directly or through others; until the portal has told, as far as the list tells (C2). */
export function useDescendants(slug: string, id: string): Descendant[] {
  const { data: keys = [] } = useQuery(apiKeysQuery(slug))
  const { data } = useQuery(descendantsQuery(slug, id))
  return data ?? madeThrough(keys, id)
}

function madeThrough(keys: readonly ListedKey[], parentId: string): Descendant[] {
  const made = keys.filter(({ createdBy }) => createdBy.kind === 'API_KEY' && createdBy.id === parentId)
  return made.flatMap(({ id, label }) => [{ id, label, parentId }, ...madeThrough(keys, id)])
}
