import { recordEvent } from '../audit/audit-event.ts'
import { changesBetween } from '../audit/changes.ts'
import { type Ctx, requireAdmin, requireKeyManager, withOrganizationLock } from '../ctx.ts'
import { countRows } from '../db/count.ts'
import { forUpdate } from '../db/locks.ts'
import type { ApiKeyTable, Db } from '../db/tables.ts'
import { keyRules, ownRulesIn, readRules, requireKnownRules, rulesOnceLabelled } from '../key-rules.ts'
import { AppError } from '../lib/app-error.ts'
import { checkText } from '../lib/check.ts'
import { shownRules } from './access/own-rules.ts'
import { requireNoWiderKey } from './access/width.ts'

/** All public columns of a key; the hash has to be selected by name. */
export type ApiKey = Omit<ApiKeyTable, 'secretHash'>

/** For every query that returns keys. */
export const API_KEY_COLUMNS = [
  'id',
  'organizationId',
  'label',
  'prefix',
  'createdAt',
  'createdByKind',
  'createdById',
  'createdByName',
  'lastUsedAt',
  'lastUsedIp',
  'lastUsedUserAgent',
  'lastUsedOperation',
  'expiresAt',
  'pausedUntil',
  'pausedAt',
  'pausedByKind',
  'pausedById',
  'pausedByName',
  'labelled',
  'rules',
  'rulesVersion',
  'replacesId',
  'replacedById',
] as const satisfies (keyof ApiKey)[]

/** Until when a key is refused, since when and by whom. */
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

/** The same with its own restrictions: what is lost when it is deleted. */
export const auditedKeyInFull = (key: Pick<ApiKey, 'label' | 'expiresAt' | 'rules'>) => ({
  ...auditedKey(key),
  ...shownRules(ownRulesIn(readRules(key.rules))),
})

export async function findApiKey(ctx: Ctx, id: string): Promise<ApiKey> {
  requireAdmin(ctx.caller)
  const apiKey = await keyWith(ctx, id).executeTakeFirst()
  if (!apiKey) throw new AppError('NOT_FOUND')
  return apiKey
}

/** A key of the organization. */
export const keyWith = ({ db, caller }: Ctx, id: string) =>
  db
    .selectFrom('apiKey')
    .select(API_KEY_COLUMNS)
    .where('organizationId', '=', caller.organizationId)
    .where('id', '=', id)

/**
 * Renames a key. A key that was refused for lack of a label is accepted again. Runs under the lock of the organization,
 * since a change of the policy writes the same rules.
 */
export function renameApiKey(outer: Ctx, id: string, label: string): Promise<ApiKey> {
  requireKeyManager(outer.caller)
  const checked = checkText('label', label)
  return withOrganizationLock(outer, async (ctx) => {
    requireKeyManager(ctx.caller)
    const before = await forUpdate(ctx.db, keyWith(ctx, id)).executeTakeFirst()
    if (!before) throw new AppError('NOT_FOUND')
    if (before.label === checked) return before
    requireKnownRules(before)
    if (keyRules(before.rules).needsLabel) requireNoWiderKey(ctx.caller, readRules(before.rules))
    const renamed = { label: checked, labelled: 1, rules: rulesOnceLabelled(before.rules) } as const
    await ctx.db.updateTable('apiKey').set(renamed).where('id', '=', id).execute()
    await recordEvent(ctx, {
      action: 'api_key.renamed',
      subject: checked,
      subjectType: 'API_KEY',
      subjectId: id,
      details: `was ${before.label}; key ${id}`,
      changes: changesBetween({ label: before.label }, { label: checked }),
    })
    return { ...before, ...renamed }
  })
}

/** The number of active keys, for an Admin of that organization, one of its keys, or support. */
export async function activeApiKeyCount(ctx: Ctx, organizationId: string): Promise<number> {
  if (!(await mayCountKeys(ctx, organizationId))) throw new AppError('FORBIDDEN')
  return countActiveKeys(ctx.db, organizationId, ctx.now())
}

/** An Admin of the organization, one of its keys, or support. */
export async function mayCountKeys({ caller, db }: Ctx, organizationId: string): Promise<boolean> {
  if (organizationId === caller.organizationId && caller.role === 'ADMIN') return true
  if (caller.kind !== 'USER') return false
  if (caller.support) return true
  const membership = await db
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
