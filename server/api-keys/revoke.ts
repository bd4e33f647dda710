import { recordEvent } from '../audit/audit-event.ts'
import { type Ctx, inTransaction, requireAdmin } from '../ctx.ts'
import { Failure } from '../lib/failure.ts'

export interface RevokedApiKeys {
  ids: string[]
  revokedAt: number
}

/** Revokes a key for good, with the keys that descend from it if asked: when this returns, none of them is accepted (K10). */
export function revokeApiKey(
  outer: Ctx,
  id: string,
  { includeDescendants = false }: { includeDescendants?: boolean } = {},
): Promise<RevokedApiKeys> {
  requireAdmin(outer.caller)
  return inTransaction(outer, async (ctx) => {
    const ids = await deleteKeys(ctx, [id])
    if (ids.length === 0) throw new Failure('NOT_FOUND')
    // Deleting before looking further: a key that is gone makes no more descendants, so the search comes to an end.
    for (let found = includeDescendants ? ids : []; found.length > 0; ) {
      found = await deleteKeys(ctx, await descendantsOf(ctx, id))
      ids.push(...found)
    }
    return { ids, revokedAt: ctx.now() }
  })
}

/** Revokes every key of the organization, inside the caller's transaction. */
export async function revokeAllKeys(ctx: Ctx): Promise<string[]> {
  const keys = await ctx.db
    .selectFrom('apiKey')
    .select('id')
    .where('organizationId', '=', ctx.caller.organizationId)
    .orderBy('id')
    .execute()
  return deleteKeys(
    ctx,
    keys.map((key) => key.id),
  )
}

/** Every key that was made by this one, directly or through others, also through one that is gone (C2). */
async function descendantsOf(ctx: Ctx, id: string): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('apiKeyLineage')
    .select('keyId')
    .where('ancestorId', '=', id)
    .orderBy('keyId')
    .execute()
  return rows.map((row) => row.keyId)
}

async function deleteKeys(ctx: Ctx, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const gone = await ctx.db
    .deleteFrom('apiKey')
    .where('organizationId', '=', ctx.caller.organizationId)
    .where('id', 'in', ids)
    .returning(['id', 'label'])
    .execute()
  for (const { id, label } of gone) {
    await recordEvent(ctx, { action: 'api_key.revoked', subject: label, details: `key ${id}` })
  }
  return gone.map((key) => key.id)
}
