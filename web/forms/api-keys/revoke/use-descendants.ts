import { useQuery } from '@tanstack/react-query'
import { apiKeysQuery, type ListedKey } from '../../../api/api-keys.ts'
import { type Descendant, descendantsQuery } from '../../../api/descendants.ts'

/** The keys that a key generated, directly or through others; until that is loaded, those known from the list (C2). */
export function useDescendants(slug: string, id: string): Descendant[] {
  const { data: keys = [] } = useQuery(apiKeysQuery(slug))
  const { data } = useQuery(descendantsQuery(slug, id))
  return data ?? generatedBy(keys, id)
}

function generatedBy(keys: readonly ListedKey[], parentId: string): Descendant[] {
  const made = keys.filter(({ createdBy }) => createdBy.kind === 'API_KEY' && createdBy.id === parentId)
  return made.flatMap(({ id, label }) => [{ id, label, parentId }, ...generatedBy(keys, id)])
}
