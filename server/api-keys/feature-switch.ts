import { recordEvent } from '../audit/audit-event.ts'
import { changesBetween } from '../audit/changes.ts'
import {
  type Actor,
  actorOf,
  type Ctx,
  inTransaction,
  requireKeyManager,
  requireSupport,
  withOrganizationLock,
} from '../ctx.ts'
import { badInput } from '../lib/check.ts'
import { currentOrganization, lockOrganization, type Organization } from '../organizations/organization.ts'
import { countActiveKeys } from './api-key.ts'
import { revokeAllKeys } from './revoke-many.ts'

/** Switches the feature for the caller's organization (F3). Off does not revoke, unless asked in the same step (C1). */
export function setApiKeysEnabled(
  outer: Ctx,
  enabled: boolean,
  { revokeActiveKeys = false }: { revokeActiveKeys?: boolean } = {},
): Promise<Organization> {
  requireKeyManager(outer.caller)
  if (enabled && revokeActiveKeys) throw badInput('revokeActiveKeys', 'revokeActiveKeys: only when switching off.')
  return withOrganizationLock(revokeActiveKeys ? { ...outer, usesReserve: 'revoke' } : outer, async (ctx) => {
    requireKeyManager(ctx.caller)
    const before = await currentOrganization(ctx)
    if (revokeActiveKeys) await revokeAllKeys(ctx)
    return switchFeature(ctx, { before, enabled, actor: actorOf(ctx.caller) })
  })
}

/** The vendor's support switches it for any organization, and sees none of its keys. */
export function supportSetApiKeysEnabled(outer: Ctx, organizationId: string, enabled: boolean): Promise<Organization> {
  return inTransaction(requireSupport(outer), async (ctx) => {
    const actor: Actor = { kind: 'SUPPORT', id: ctx.caller.userId, name: ctx.caller.name }
    return switchFeature(ctx, { before: await lockOrganization(ctx.db, organizationId), enabled, actor })
  })
}

async function switchFeature(
  ctx: Ctx,
  { before, enabled, actor }: { before: Organization; enabled: boolean; actor: Actor },
): Promise<Organization> {
  const { id: organizationId } = before
  if ((before.apiKeysEnabled === 1) === enabled) return before
  const apiKeysEnabled = enabled ? 1 : 0
  await ctx.db.updateTable('organization').set({ apiKeysEnabled }).where('id', '=', organizationId).execute()
  const active = await countActiveKeys(ctx.db, organizationId, ctx.now())
  await recordEvent(ctx, {
    action: enabled ? 'api_keys.switched_on' : 'api_keys.switched_off',
    subject: before.name,
    subjectType: 'ORGANIZATION',
    subjectId: organizationId,
    changes: changesBetween({ apiKeysEnabled: !enabled }, { apiKeysEnabled: enabled }),
    details: `active keys: ${active}`,
    actor,
    organizationId,
  })
  return { ...before, apiKeysEnabled }
}
