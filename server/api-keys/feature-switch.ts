import { about, recordEvent } from '../audit/audit-event.ts'
import { changesBetween } from '../audit/changed-fields.ts'
import {
  type Actor,
  actorOf,
  type Ctx,
  inTransaction,
  requireKeyManager,
  requireSupport,
  type TransactionCtx,
  withOrganizationLock,
} from '../caller/ctx.ts'
import type { Receipt } from '../db/transaction.ts'
import { badInput } from '../lib/check.ts'
import { currentOrganization, lockOrganization, type Organization } from '../organizations/organization.ts'
import { countActiveKeys } from './api-key.ts'
import { revokeAllKeys } from './revoke-many.ts'

interface Switched {
  organization: Organization
  /** The receipt for the keys that were revoked with it. */
  receipt: Receipt
}

/** Switches the feature for the caller's organization (F3). Off does not revoke, unless asked in the same step (C1). */
export function setApiKeysEnabled(
  outer: Ctx,
  enabled: boolean,
  { revokeActiveKeys = false }: { revokeActiveKeys?: boolean } = {},
): Promise<Switched> {
  requireKeyManager(outer.caller)
  if (enabled && revokeActiveKeys) throw badInput('revokeActiveKeys', 'revokeActiveKeys: only when switching off.')
  return withOrganizationLock(revokeActiveKeys ? { ...outer, usesReserve: 'revoke' } : outer, async (ctx) => {
    requireKeyManager(ctx.caller)
    const before = await currentOrganization(ctx)
    const actor = actorOf(ctx.caller)
    const receipt = revokeActiveKeys ? (await revokeAllKeys(ctx)).receipt : { durable: true }
    const active = revokeActiveKeys ? 0 : await countActiveKeys(ctx.db, before.id, ctx.now())
    return { organization: await switchFeature(ctx, { before, enabled, actor, active }), receipt }
  })
}

/** The vendor's support switches it for any organization, and sees none of its keys. */
export function supportSetApiKeysEnabled(outer: Ctx, organizationId: string, enabled: boolean): Promise<Organization> {
  return inTransaction(requireSupport(outer), async (ctx) => {
    const actor: Actor = { kind: 'SUPPORT', id: ctx.caller.userId, name: ctx.caller.name }
    const before = await lockOrganization(ctx.db, organizationId)
    const active = await countActiveKeys(ctx.db, organizationId, ctx.now())
    return switchFeature(ctx, { before, enabled, actor, active })
  })
}

interface Switch {
  before: Organization
  enabled: boolean
  actor: Actor
  active: number
}

async function switchFeature(ctx: TransactionCtx, { before, enabled, actor, active }: Switch): Promise<Organization> {
  const { id: organizationId } = before
  if ((before.apiKeysEnabled === 1) === enabled) return before
  const apiKeysEnabled = enabled ? 1 : 0
  await ctx.db.updateTable('organization').set({ apiKeysEnabled }).where('id', '=', organizationId).execute()
  await recordEvent(ctx, {
    action: enabled ? 'api_keys.switched_on' : 'api_keys.switched_off',
    ...about('ORGANIZATION', organizationId, before.name),
    changes: changesBetween({ apiKeysEnabled: !enabled }, { apiKeysEnabled: enabled }),
    details: `active keys: ${active}`,
    actor,
    organizationId,
  })
  return { ...before, apiKeysEnabled }
}
