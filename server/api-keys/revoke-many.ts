import { recordEvent } from '../audit/audit-event.ts'
import { type Ctx, inHeldOrganization, requireKeyManager } from '../ctx.ts'
import { countRows } from '../db/count.ts'
import { claim } from '../db/locks.ts'
import { badInput } from '../lib/check.ts'
import { Failure } from '../lib/failure.ts'
import { partsOf } from '../lib/parts.ts'
import { type ApiKeyFilter, checkFilter, fits } from './filter.ts'
import { DELETED_AT_ONCE, type Doomed, deletionOf, keysOf, type RevokedApiKeys } from './revoke.ts'

const NAMED_IN_FULL = 3

export interface ManyApiKeys extends ApiKeyFilter {
  /** Every key of the organization: stands alone. */
  all?: boolean | null | undefined
}

/**
 * Revokes all keys that are meant, or none: when this returns, none of them is accepted (K10). Whether a key is meant is
 * judged on its row once it is claimed, so one that has just been used is not taken for unused.
 */
export function revokeApiKeys(outer: Ctx, many: ManyApiKeys): Promise<RevokedApiKeys> {
  requireKeyManager(outer.caller)
  checkMany(many)
  return inHeldOrganization(outer, async (ctx) => {
    requireKeyManager(ctx.caller)
    const keys = await claim(ctx.db, keysOf(ctx).where(fits(many, ctx.now()))).execute()
    if (many.ids != null && keys.length < many.ids.length) await requireAllKnown(ctx, many.ids)
    await revokeTogether(ctx, keys, reasonOf(many))
    return { ids: keys.map(({ id }) => id), revokedAt: ctx.now() }
  })
}

/**
 * Revokes those of the keys which somebody was shown and has confirmed that are still there, and that the filter still
 * fits: never another one. In one step.
 */
export function revokeListedKeys(
  outer: Ctx,
  ids: readonly string[],
  many: Omit<ManyApiKeys, 'ids'> = {},
): Promise<RevokedApiKeys> {
  requireKeyManager(outer.caller)
  return inHeldOrganization(outer, async (ctx) => {
    const keys = await claim(ctx.db, keysOf(ctx).where(fits({ ...many, ids }, ctx.now()))).execute()
    await revokeTogether(ctx, keys, reasonOf(many) || 'chosen')
    return { ids: keys.map(({ id }) => id), revokedAt: ctx.now() }
  })
}

/** Revokes every key of the organization, inside the caller's transaction. */
export async function revokeAllKeys(ctx: Ctx): Promise<void> {
  await revokeTogether(ctx, await claim(ctx.db, keysOf(ctx)).execute(), 'all')
}

function checkMany({ all, ...filter }: ManyApiKeys): void {
  const isNarrowed = Object.values(filter).some((given) => given != null)
  if (all && isNarrowed) throw badInput('all', 'all: true stands alone.')
  if (!all && !isNarrowed) throw badInput('input', 'input: say which keys, or all: true.')
  checkFilter(filter)
}

async function requireAllKnown(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const known = await countRows(keysOf(ctx).clearSelect().clearOrderBy().where('id', 'in', ids))
  if (known < new Set(ids).size) throw new Failure('NOT_FOUND')
}

/** Revokes these keys, which the caller has claimed, in the caller's transaction: one entry in the audit log for all. */
export async function revokeTogether(ctx: Ctx, keys: Doomed[], reason: string): Promise<void> {
  if (keys.length === 0) return
  for (const part of partsOf(keys, DELETED_AT_ONCE)) await deletionOf(ctx, part).execute()
  const ids = keys.map(({ id }) => id).join(', ')
  await recordEvent(ctx, { action: 'api_keys.revoked', subject: inShort(keys), details: `${reason}; keys ${ids}` })
}

function inShort(keys: Doomed[]): string {
  const named = keys.slice(0, NAMED_IN_FULL).map(({ label }) => label)
  const others = keys.length - named.length
  return `${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}

function reasonOf({ ids, unusedForDays, createdById, all }: ManyApiKeys): string {
  const reasons = [
    ...(all ? ['all'] : []),
    ...(ids == null ? [] : ['chosen']),
    ...(unusedForDays == null ? [] : [`unused for ${unusedForDays} ${unusedForDays === 1 ? 'day' : 'days'}`]),
    ...(createdById == null ? [] : [`made by ${createdById}`]),
  ]
  return reasons.join(', ')
}
