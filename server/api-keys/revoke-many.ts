import type { NewEvent } from '../audit/audit-event.ts'
import { deletedWith } from '../audit/changed-fields.ts'
import { type Ctx, requireKeyManager, type TransactionCtx, withOrganizationLock } from '../caller/ctx.ts'
import { ownRulesIn, readRules } from '../caller/key-rules.ts'
import type { RevocationCause } from '../db/api-key-tables.ts'
import { countRows } from '../db/count.ts'
import { AppError } from '../lib/app-error.ts'
import { badInput } from '../lib/check.ts'
import { ownRulesInWords } from './access/own-rules.ts'
import { type ApiKeyFilter, checkFilter, fits } from './filter.ts'
import {
  checkReason,
  endedInvitations,
  type KeyToRevoke,
  lockKeysToRevoke,
  type RevokedApiKeys,
  reasonText,
  revokeKeys,
  settled,
} from './revoke.ts'

const NAMED_IN_FULL = 3

export interface ManyApiKeys extends ApiKeyFilter {
  /** Every key of the organization: not to be combined with other conditions. */
  all?: boolean | null | undefined
}

interface Why {
  /** Which keys were selected, in words. */
  selected: string
  cause: RevocationCause
  reason?: string | null | undefined
}

/** Revokes all selected keys, or none (K10), each checked once its row is locked: one that has just been used is not unused. */
export async function revokeApiKeys(
  outer: Ctx,
  { reason: given, ...many }: ManyApiKeys & Pick<Why, 'reason'>,
): Promise<RevokedApiKeys> {
  requireKeyManager(outer.caller)
  checkMany(many)
  const reason = checkReason(given)
  return withOrganizationLock({ ...outer, usesReserve: 'revoke' }, async (ctx) => {
    requireKeyManager(ctx.caller)
    const keys = await lockKeysToRevoke(ctx, (all) => all.where(fits(many, ctx.now())))
    if (many.ids != null && keys.length < many.ids.length) await requireAllKnown(ctx, many.ids)
    return revokeTogether(ctx, keys, { selected: selectedBy(many), cause: causeOf(many), reason })
  }).catch(settled(outer))
}

/** Revokes every key of the organization as the feature is switched off, inside the caller's transaction. */
export const revokeAllKeys = async (ctx: TransactionCtx): Promise<RevokedApiKeys> =>
  revokeTogether(ctx, await lockKeysToRevoke(ctx, (all) => all), { selected: 'all', cause: 'FEATURE_DISABLED' })

function checkMany({ all, ...filter }: ManyApiKeys): void {
  const isNarrowed = Object.values(filter).some((given) => given != null)
  if (all && isNarrowed) throw badInput('all', 'all: true cannot be combined with other conditions.')
  if (!all && !isNarrowed) throw badInput('input', 'input: say which keys, or all: true.')
  checkFilter(filter)
}

async function requireAllKnown({ db, caller }: TransactionCtx, ids: readonly string[]): Promise<void> {
  const known = db.selectFrom('apiKey').where('organizationId', '=', caller.organizationId).where('id', 'in', ids)
  if ((await countRows(known)) < new Set(ids).size) throw new AppError('NOT_FOUND')
}

/** Revokes these keys, which the caller has locked, in the caller's transaction: one entry in the audit log for all. */
export function revokeTogether(
  ctx: TransactionCtx,
  keys: readonly KeyToRevoke[],
  { selected, cause, reason }: Why,
): Promise<RevokedApiKeys> {
  const ids = keys.map(({ id }) => id)
  const [only] = ids.length === 1 ? ids : []
  const event: NewEvent = {
    action: 'api_keys.revoked',
    subject: inShort(keys),
    subjectType: 'API_KEY',
    ...(only !== undefined && { subjectId: only }),
    objects: keys.map(({ id, label }) => ({ id, name: label })),
    details: `${selected}; keys ${ids.join(', ')}${endedInvitations(keys)}${reasonText(reason)}`,
    changes: deletedWith({ ids, apiKeys: keys.map(inWords) }),
  }
  return revokeKeys(ctx, keys, { cause, reason, events: [event] })
}

/** What the key was, since it is lost. */
function inWords({ label, expiresAt, rules }: KeyToRevoke): string {
  const own = ownRulesInWords(ownRulesIn(readRules(rules)))
  const expires = expiresAt === null ? '' : `expires ${new Date(expiresAt).toISOString()}`
  return [label, own, expires].filter((words) => words !== '').join('; ')
}

function inShort(keys: readonly KeyToRevoke[]): string {
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
