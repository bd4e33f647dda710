import { about, type NewEvent, recordEvent } from '../audit/audit-event.ts'
import { changesBetween } from '../audit/changed-fields.ts'
import {
  type Ctx,
  inTransactionOn,
  requireKeyManager,
  type TransactionCtx,
  withOrganizationLock,
} from '../caller/ctx.ts'
import { keyRules, readRules, requireKnownRules, rulesOnceLabelled, versionFor } from '../caller/key-rules.ts'
import { forUpdate } from '../db/locks.ts'
import { AppError } from '../lib/app-error.ts'
import { checkName } from '../lib/check.ts'
import { requireNoWiderKey } from './access/width.ts'
import { type ApiKey, keyWith } from './api-key.ts'
import { settled } from './revoke.ts'

interface Change {
  change: Partial<ApiKey>
  event: Pick<NewEvent, 'action' | 'details' | 'changes' | 'budget'>
}

/** Undefined: the key stays as it is. */
type Decide = (ctx: TransactionCtx, key: ApiKey) => Promise<Change | undefined>

/** Changes a key under the lock of the organization, since a change of the policy writes the same rules. */
export const changeKey = (outer: Ctx, id: string, decide: Decide): Promise<ApiKey> =>
  withOrganizationLock(outer, async (ctx) => apply(ctx, await lockKey(ctx, id), decide))

/** Changes a key as a revoke does: without that lock, and when the disk is full. */
export function changeKeyAtOnce(outer: Ctx, id: string, decide: Decide): Promise<ApiKey> {
  const find = (ctx: TransactionCtx) => lockKey(ctx, id)
  return inTransactionOn(outer, find, (ctx, key) => apply(ctx, key, decide)).catch(settled(outer))
}

/** Waits for writes with the key in progress; later ones see the change. */
const lockKey = (ctx: TransactionCtx, id: string): Promise<ApiKey | undefined> =>
  forUpdate(ctx.db, keyWith(ctx, id)).executeTakeFirst()

async function apply(ctx: TransactionCtx, key: ApiKey | undefined, decide: Decide): Promise<ApiKey> {
  requireKeyManager(ctx.caller)
  if (!key) throw new AppError('NOT_FOUND')
  requireKnownRules(key)
  const decided = await decide(ctx, key)
  if (!decided) return key
  const { id } = key
  const change = { ...decided.change, rulesVersion: versionFor({ ...key, ...decided.change }) }
  const changed = { ...key, ...change }
  await ctx.db.updateTable('apiKey').set(change).where('id', '=', id).execute()
  const { details: said, ...event } = decided.event
  const details = said === undefined ? `key ${id}` : `${said}; key ${id}`
  await recordEvent(ctx, { ...event, ...about('API_KEY', id, changed.label), details })
  return changed
}

/** Renames a key. One that was refused for lack of a label is accepted again. */
export async function renameApiKey(outer: Ctx, id: string, given: string): Promise<ApiKey> {
  requireKeyManager(outer.caller)
  const label = checkName('label', given)
  return changeKey(outer, id, async (ctx, key) => {
    if (key.label === label) return undefined
    if (keyRules(key.rules).needsLabel) requireNoWiderKey(ctx.caller, readRules(key.rules))
    const changes = changesBetween({ label: key.label }, { label })
    return {
      change: { label, labelled: 1, rules: rulesOnceLabelled(key.rules) },
      event: { action: 'api_key.renamed', details: `was ${key.label}`, changes },
    }
  })
}
