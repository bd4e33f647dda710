import { useQuery } from '@tanstack/react-query'
import { apiKeysQuery } from '../../../api/api-keys.ts'
import { type Descendant, descendantsQuery } from '../../../api/descendants.ts'
import { generatedBy } from './created-by.ts'

/** The keys that a key generated, directly or through others; until that is loaded, those known from the list (C2). */
export function useDescendants(slug: string, id: string): Descendant[] {
  const { data: keys = [] } = useQuery(apiKeysQuery(slug))
  const { data } = useQuery(descendantsQuery(slug, id))
  return data ?? generatedBy(keys, id)
}
