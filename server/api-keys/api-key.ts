import { type Ctx, requireAdmin } from '../caller/ctx.ts'
import { ownRulesIn, readRules } from '../caller/key-rules.ts'
import { API_KEY_COLUMNS } from '../db/api-key-row.ts'
import { countRows } from '../db/count.ts'
import type { ApiKeyTable, Db } from '../db/tables.ts'
import { AppError, notFound } from '../lib/app-error.ts'
import { inOrderOf } from '../lib/in-order-of.ts'
import { shownRules } from './access/own-rules.ts'

/** All public columns of a key; the hash has to be selected by name. */
export type ApiKey = Omit<ApiKeyTable, 'secretHash'>

export type Pause = Pick<ApiKey, 'pausedUntil' | 'pausedAt' | 'pausedByKind' | 'pausedById' | 'pausedByName'>

export const NOT_PAUSED: Pause = {
  pausedUntil: null,
  pausedAt: null,
  pausedByKind: null,
  pausedById: null,
  pausedByName: null,
}

/** A key as the audit log shows it: what somebody decides about it. */
export const auditedKey = ({ label, expiresAt }: Pick<ApiKey, 'label' | 'expiresAt'>) => ({
  label,
  expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
})

/** A key in the audit log with its own restrictions: what is lost when it is deleted. */
export const auditedKeyInFull = (key: Pick<ApiKey, 'label' | 'expiresAt' | 'rules'>) => ({
  ...auditedKey(key),
  ...shownRules(ownRulesIn(readRules(key.rules))),
})

export async function findApiKey(ctx: Ctx, id: string): Promise<ApiKey> {
  requireAdmin(ctx.caller)
  return keyWith(ctx, id).executeTakeFirstOrThrow(notFound)
}

export const keyWith = (ctx: Ctx, id: string) => keysOf(ctx).where('id', '=', id)

const keysOf = ({ reads, caller: { organizationId } }: Ctx) =>
  reads.selectFrom('apiKey').select(API_KEY_COLUMNS).where('organizationId', '=', organizationId)

/** The keys with these ids, in their order; null for one that does not exist in the organization. */
export async function keysByIds(ctx: Ctx, ids: readonly string[]): Promise<(ApiKey | null)[]> {
  requireAdmin(ctx.caller)
  return inOrderOf(ids, await keysOf(ctx).where('id', 'in', ids).execute())
}

/** The number of active keys, for an Admin of that organization, one of its keys, or support. */
export async function activeApiKeyCount(ctx: Ctx, organizationId: string): Promise<number> {
  if (!(await mayCountKeys(ctx, organizationId))) throw new AppError('FORBIDDEN')
  return countActiveKeys(ctx.reads, organizationId, ctx.now())
}

async function mayCountKeys({ caller, reads }: Ctx, organizationId: string): Promise<boolean> {
  if (organizationId === caller.organizationId && caller.role === 'ADMIN') return true
  if (caller.kind !== 'USER') return false
  if (caller.support) return true
  const membership = await reads
    .selectFrom('membership')
    .select('role')
    .where('organizationId', '=', organizationId)
    .where('userId', '=', caller.userId)
    .executeTakeFirst()
  return membership?.role === 'ADMIN'
}

/** How many keys are active, which count against the maximum number: a paused one does, or pausing would evade it. */
export const countActiveKeys = (db: Db, organizationId: string, now: number): Promise<number> =>
  countRows(activeKeysOf(db, organizationId, now))

/** Active keys, as the state in list/states.ts: those that have not expired, paused ones too. */
export const activeKeysOf = (db: Db, organizationId: string, now: number) =>
  db
    .selectFrom('apiKey')
    .where('organizationId', '=', organizationId)
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]))

export async function apiKeysHeldSince(ctx: Ctx, organizationId: string): Promise<number | null> {
  if (!(await mayCountKeys(ctx, organizationId))) throw new AppError('FORBIDDEN')
  return heldSince(ctx.reads)
}

/** Since when no key is accepted, because the database was restored and revocations may be missing; null: not so. */
async function heldSince(db: Db): Promise<number | null> {
  const state = await db.selectFrom('revocationState').select('heldSince').executeTakeFirstOrThrow()
  return state.heldSince
}
