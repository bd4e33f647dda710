import { recordEvent } from '../audit/audit-event.ts'
import { deletedWith } from '../audit/changes.ts'
import { actorOf, type Ctx, requireKeyManager, withOrganizationLock } from '../ctx.ts'
import type { RevocationCause } from '../db/api-key-tables.ts'
import { countRows } from '../db/count.ts'
import { forUpdate } from '../db/locks.ts'
import type { Receipt } from '../db/revocations.ts'
import { ownRulesIn, readRules } from '../key-rules.ts'
import { AppError } from '../lib/app-error.ts'
import { badInput } from '../lib/check.ts'
import { ownRulesInWords } from './access/own-rules.ts'
import { deleteKeys } from './deletion.ts'
import { endedInvitationsText, invitationsOf } from './ended-invitations.ts'
import { type ApiKeyFilter, checkFilter, fits } from './filter.ts'
import { AT_ONCE, recordKeyRevocations } from './key-revocation.ts'
import { type KeyToRevoke, keysOf, type RevokedApiKeys, settled } from './revoke.ts'
import { checkReason, reasonText } from './revoked/removal.ts'

const NAMED_IN_FULL = 3

export interface ManyApiKeys extends ApiKeyFilter {
  /** Every key of the organization: not to be combined with other conditions. */
  all?: boolean | null | undefined
}

interface Why {
  /** Which keys were selected, in words. */
  selected: string
  cause: RevocationCause
  /** In the words of whoever revokes. */
  reason?: string | null | undefined
}

/**
 * Revokes all selected keys, or none: when this returns, none of them is accepted (K10). A key is checked against the
 * filter once its row is locked, so one that has just been used does not count as unused.
 */
export function revokeApiKeys(
  outer: Ctx,
  { reason: given, ...many }: ManyApiKeys & Pick<Why, 'reason'>,
): Promise<RevokedApiKeys> {
  requireKeyManager(outer.caller)
  checkMany(many)
  const reason = checkReason(given)
  return withOrganizationLock({ ...outer, usesReserve: 'revoke' }, async (ctx) => {
    requireKeyManager(ctx.caller)
    const keys = await forUpdate(ctx.db, keysOf(ctx).where(fits(many, ctx.now()))).execute()
    if (many.ids != null && keys.length < many.ids.length) await requireAllKnown(ctx, many.ids)
    const receipt = await revokeTogether(ctx, keys, { selected: selectedBy(many), cause: causeOf(many), reason })
    return { ids: keys.map(({ id }) => id), revokedAt: ctx.now(), receipt }
  }).catch(settled(outer))
}

/**
 * Revokes those of the listed and confirmed keys that still exist and still match the filter: never another one. In one
 * transaction.
 */
export function revokeListedKeys(
  outer: Ctx,
  ids: readonly string[],
  { reason: given, ...many }: Omit<ManyApiKeys, 'ids'> & Pick<Why, 'reason'> = {},
): Promise<RevokedApiKeys> {
  requireKeyManager(outer.caller)
  const reason = checkReason(given)
  return withOrganizationLock({ ...outer, usesReserve: 'revoke' }, async (ctx) => {
    const keys = await forUpdate(ctx.db, keysOf(ctx).where(fits({ ...many, ids }, ctx.now()))).execute()
    const receipt = await revokeTogether(ctx, keys, {
      selected: selectedBy(many) || 'chosen',
      cause: causeOf(many),
      reason,
    })
    return { ids: keys.map(({ id }) => id), revokedAt: ctx.now(), receipt }
  })
}

/** Revokes every key of the organization as the feature is switched off, inside the caller's transaction. */
export async function revokeAllKeys(ctx: Ctx): Promise<void> {
  await revokeTogether(ctx, await forUpdate(ctx.db, keysOf(ctx)).execute(), {
    selected: 'all',
    cause: 'FEATURE_DISABLED',
  })
}

function checkMany({ all, ...filter }: ManyApiKeys): void {
  const isNarrowed = Object.values(filter).some((given) => given != null)
  if (all && isNarrowed) throw badInput('all', 'all: true cannot be combined with other conditions.')
  if (!all && !isNarrowed) throw badInput('input', 'input: say which keys, or all: true.')
  checkFilter(filter)
}

async function requireAllKnown(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const known = await countRows(keysOf(ctx).clearSelect().clearOrderBy().where('id', 'in', ids))
  if (known < new Set(ids).size) throw new AppError('NOT_FOUND')
}

/** Revokes these keys, which the caller has locked, in the caller's transaction: one entry in the audit log for all. */
export async function revokeTogether(ctx: Ctx, keys: KeyToRevoke[], why: Why): Promise<Receipt> {
  if (keys.length === 0) return { durable: true }
  const ids = keys.map(({ id }) => id)
  const invitations = await invitationsOf(ctx, ids)
  const receipt = await recordKeyRevocations(ctx.db, ids, AT_ONCE)
  const { selected, cause, reason } = why
  await deleteKeys(ctx.db, ids, { at: ctx.now(), by: actorOf(ctx.caller), cause, reason })
  const ended = endedInvitationsText([...invitations.values()].reduce((sum, each) => sum + each, 0))
  const details = `${selected}; keys ${ids.join(', ')}${ended}${reasonText(reason)}`
  const [only] = ids.length === 1 ? ids : []
  await recordEvent(ctx, {
    action: 'api_keys.revoked',
    subject: inShort(keys),
    subjectType: 'API_KEY',
    ...(only !== undefined && { subjectId: only }),
    objects: keys.map(({ id, label }) => ({ id, name: label })),
    details,
    changes: deletedWith({ ids, apiKeys: keys.map(inWords) }),
  })
  return receipt
}

/** What the key was, since it is lost. */
function inWords({ label, expiresAt, rules }: KeyToRevoke): string {
  const own = ownRulesInWords(ownRulesIn(readRules(rules)))
  const expires = expiresAt === null ? '' : `expires ${new Date(expiresAt).toISOString()}`
  return [label, own, expires].filter((words) => words !== '').join('; ')
}

function inShort(keys: KeyToRevoke[]): string {
  const named = keys.slice(0, NAMED_IN_FULL).map(({ label }) => label)
  const others = keys.length - named.length
  return `${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}

const causeOf = ({ unusedForDays }: ManyApiKeys): RevocationCause => (unusedForDays == null ? 'REVOKED' : 'UNUSED')

function selectedBy({ ids, unusedForDays, createdById, all }: ManyApiKeys): string {
  const conditions = [
    ...(all ? ['all'] : []),
    ...(ids == null ? [] : ['chosen']),
    ...(unusedForDays == null ? [] : [`unused for ${unusedForDays} ${unusedForDays === 1 ? 'day' : 'days'}`]),
    ...(createdById == null ? [] : [`created by ${createdById}`]),
  ]
  return conditions.join(', ')
}
