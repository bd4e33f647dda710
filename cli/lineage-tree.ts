import type { ApiKeyDescendant } from '../server/api-keys/rotation/lineage.ts'
import { readableTime } from './time.ts'

/** Each after its parent, siblings by age. Without recursion: a key that rotates itself every hour has a long chain. */
export function inTreeOrder<Key extends Pick<ApiKeyDescendant, 'id' | 'parentId'>>(id: string, keys: Key[]): Key[] {
  const children = Map.groupBy(keys, ({ parentId }) => parentId)
  const childrenOf = (parentId: string) => (children.get(parentId) ?? []).toReversed()
  const ordered: Key[] = []
  for (const waiting = childrenOf(id); ; ) {
    const next = waiting.pop()
    if (!next) return ordered
    ordered.push(next)
    waiting.push(...childrenOf(next.id))
  }
}

/** The descendants of a key as lines, indented below their parents. */
export function treeOf(
  id: string,
  descendants: (Pick<ApiKeyDescendant, 'id' | 'parentId' | 'label'> & { lastUsedAt: string | null })[],
): string {
  const depths = new Map([[id, 1]])
  const lines = descendants.map((key) => {
    const depth = (depths.get(key.parentId) ?? 1) + 1
    depths.set(key.id, depth)
    return `${'  '.repeat(depth)}${key.id}  ${key.label}, last used ${readableTime(key.lastUsedAt)}`
  })
  return lines.join('\n')
}
