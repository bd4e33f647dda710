import { recordEvent } from '../audit/audit-event.ts'
import { type Ctx, inTransactionOn, requireKeyManager } from '../ctx.ts'
import { atTheEnd, claim } from '../db/locks.ts'
import type { ApiKeyTable } from '../db/tables.ts'
import { Failure } from '../lib/failure.ts'
import { partsOf } from '../lib/parts.ts'

/** With all that is known of their use, so many are deleted in some milliseconds. */
export const DELETED_AT_ONCE = 10

export interface RevokedApiKeys {
  ids: string[]
  revokedAt: number
}

export type Doomed = Pick<ApiKeyTable, 'id' | 'label'>

/** Revokes a key for good, with the keys that descend from it if asked: when this returns, none of them is accepted (K10). */
export function revokeApiKey(
  outer: Ctx,
  id: string,
  { includeDescendants = false }: { includeDescendants?: boolean } = {},
): Promise<RevokedApiKeys> {
  requireKeyManager(outer.caller)
  const find = (ctx: Ctx) => claim(ctx.db, keysOf(ctx).where('id', '=', id)).execute()
  return inTransactionOn(outer, find, async (ctx, found) => {
    requireKeyManager(ctx.caller)
    if (found.length === 0) throw new Failure('NOT_FOUND')
    const keys = includeDescendants ? [...found, ...(await claimDescendants(ctx, id))] : found
    await recordRevokes(ctx, keys)
    for (const part of partsOf(keys, DELETED_AT_ONCE)) await atTheEnd(ctx.db, deletionOf(ctx, part))
    return { ids: keys.map((key) => key.id), revokedAt: ctx.now() }
  })
}

/** The keys of the organization, in the order in which everybody locks them. */
export const keysOf = ({ db, caller }: Ctx) =>
  db.selectFrom('apiKey').select(['id', 'label']).where('organizationId', '=', caller.organizationId).orderBy('id')

/**
 * Every key that was made by this one, directly or through others, also through one that is gone (C2). A key that is
 * claimed makes no more descendants, so the search comes to an end.
 */
async function claimDescendants(ctx: Ctx, id: string): Promise<Doomed[]> {
  const descendants = ctx.db.selectFrom('apiKeyLineage').select('keyId').where('ancestorId', '=', id)
  const search = () => claim(ctx.db, keysOf(ctx).where('id', 'in', descendants)).execute()
  let found = await search()
  for (let before = 0; found.length > before; ) {
    before = found.length
    found = await search()
  }
  return found
}

async function recordRevokes(ctx: Ctx, keys: Doomed[]): Promise<void> {
  for (const { id, label } of keys) {
    await recordEvent(ctx, { action: 'api_key.revoked', subject: label, details: `key ${id}` })
  }
}

export const deletionOf = ({ db, caller }: Ctx, keys: Doomed[]) =>
  db
    .deleteFrom('apiKey')
    .where('organizationId', '=', caller.organizationId)
    .where(
      'id',
      'in',
      keys.map(({ id }) => id),
    )
