import { type Ctx, requireAdmin } from '../ctx.ts'
import { API_KEY_COLUMNS, type ApiKey } from './api-key.ts'

/** A key that another has made, directly or through others. */
export interface ApiKeyDescendant {
  apiKey: ApiKey
  /** Who made it; where that one is gone, the nearest above it that is still there. */
  parentId: string
}

/** All that descend from a key, in the order of a tree: each behind its parent, those of one parent by age. */
export async function descendantsOf(ctx: Ctx, id: string): Promise<ApiKeyDescendant[]> {
  requireAdmin(ctx.caller)
  const keys = await ctx.db
    .selectFrom('apiKey')
    .innerJoin('apiKeyLineage', 'apiKeyLineage.keyId', 'apiKey.id')
    .select(API_KEY_COLUMNS)
    .where('apiKeyLineage.ancestorId', '=', id)
    .where('organizationId', '=', ctx.caller.organizationId)
    .orderBy('id')
    .execute()
  const present = new Set([id, ...keys.map((key) => key.id)])
  const isOrphan = ({ createdById }: ApiKey) => createdById === null || !present.has(createdById)
  const nearest = keys.some(isOrphan) ? await nearestAncestors(ctx, id) : new Map<string, string>()
  return inTreeOrder(id, keys, (key) => (isOrphan(key) ? (nearest.get(key.id) ?? id) : (key.createdById ?? id)))
}

/** For each key below this one, the nearest that is above it and below this one too: the one with the most above itself. */
async function nearestAncestors({ db }: Ctx, id: string): Promise<Map<string, string>> {
  const pairs = await db
    .selectFrom('apiKeyLineage as below')
    .innerJoin('apiKeyLineage as pair', 'pair.keyId', 'below.keyId')
    .innerJoin('apiKeyLineage as above', 'above.keyId', 'pair.ancestorId') // those that are gone have no row of their own
    .select(['pair.keyId', 'pair.ancestorId'])
    .where('below.ancestorId', '=', id)
    .where('above.ancestorId', '=', id)
    .execute()
  const ancestors = Map.groupBy(pairs, ({ keyId }) => keyId)
  const depth = (keyId: string) => ancestors.get(keyId)?.length ?? 0
  const deepest = (of: typeof pairs) => of.reduce((a, b) => (depth(b.ancestorId) > depth(a.ancestorId) ? b : a))
  return new Map([...ancestors].map(([keyId, of]) => [keyId, deepest(of).ancestorId]))
}

/** Without recursion: a key that replaces itself every hour makes a long line. */
function inTreeOrder(id: string, keys: ApiKey[], parentOf: (key: ApiKey) => string): ApiKeyDescendant[] {
  const children = Map.groupBy(
    keys.map((apiKey) => ({ apiKey, parentId: parentOf(apiKey) })),
    ({ parentId }) => parentId,
  )
  const childrenOf = (parentId: string) => (children.get(parentId) ?? []).toReversed()
  const ordered: ApiKeyDescendant[] = []
  for (const waiting = childrenOf(id); ; ) {
    const next = waiting.pop()
    if (!next) return ordered
    ordered.push(next)
    waiting.push(...childrenOf(next.apiKey.id))
  }
}
