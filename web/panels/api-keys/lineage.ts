import type { ListedKey } from '../../api/api-keys.ts'
import type { Used } from './LastUse.tsx'

/** A key that another made, or that came of one that it made; a parent stands before its children. */
export type Offspring = Used & Pick<ListedKey, 'id' | 'label' | 'prefix'> & { parentId: string }

/** The keys that a key made, directly or through others, as far as the list tells (C2). */
export function madeThrough(keys: readonly ListedKey[], id: string): Offspring[] {
  const made = keys.filter(({ createdBy }) => createdBy.kind === 'API_KEY' && createdBy.id === id)
  return made.flatMap((apiKey) => [{ ...apiKey, parentId: id }, ...madeThrough(keys, apiKey.id)])
}
