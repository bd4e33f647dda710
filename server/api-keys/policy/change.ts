import { about, recordEvent } from '../../audit/audit-event.ts'
import { changesBetween } from '../../audit/changed-fields.ts'
import {
  type Caller,
  type Ctx,
  requireKeyManager,
  type TransactionCtx,
  withOrganizationLock,
} from '../../caller/ctx.ts'
import { hasOwnLimits, readRules, requireKnownRules, writeRules } from '../../caller/key-rules.ts'
import { forUpdate } from '../../db/locks.ts'
import type { Receipt } from '../../db/transaction.ts'
import { AppError } from '../../lib/app-error.ts'
import { currentOrganization } from '../../organizations/organization.ts'
import { type ApiKey, auditedKey } from '../api-key.ts'
import { type KeyToRevoke, keyRevocation, lockKeysToRevoke } from '../revoke.ts'
import { revokeTogether } from '../revoke-many.ts'
import {
  type ApiKeyPolicy,
  type ApiKeyPolicyInput,
  checkPolicyInput,
  policyAfter,
  policyOf,
  writePolicy,
} from './policy.ts'
import { API_KEY_RULES, type ApiKeyRule, expireByPolicy, FIELD_OF_RULE } from './rules.ts'
import { type ApiKeyPolicyViolation, activeKeys, violationsAmong } from './violations.ts'

interface Change {
  before: ApiKeyPolicy
  after: ApiKeyPolicy
  /** To be applied also to keys that violate them. */
  applied: readonly ApiKeyRule[]
  violations: ApiKeyPolicyViolation[]
}

interface ChangedPolicy {
  policy: ApiKeyPolicy
  /** The receipt for the keys that were revoked, or expire earlier. */
  receipt: Receipt
}

/** Changes the policy for keys that comply. Those that violate a rule keep working as before, unless it is applied to them too. */
export function setApiKeyPolicy(
  outer: Ctx,
  input: ApiKeyPolicyInput,
  applied: readonly ApiKeyRule[] = [],
): Promise<ChangedPolicy> {
  requirePolicyManager(outer.caller)
  const checked = checkPolicyInput(input)
  return withOrganizationLock({ ...outer, usesReserve: 'policy' }, async (ctx) => {
    requirePolicyManager(ctx.caller)
    const organization = await currentOrganization(ctx)
    const before = policyOf(organization)
    const after = policyAfter(before, checked)
    const keys = await forUpdate(ctx.db, activeKeys(ctx)).execute() // waits for their writes in progress
    const change: Change = { before, after, applied, violations: await violationsAmong(ctx, after, keys) }
    const keysToRevoke = keysViolating(change, 'MAX_KEYS')
    const byRules = Map.groupBy(
      keys.filter((key) => !keysToRevoke.includes(key) && rulesAfter(change, key) !== key.rules),
      (key) => rulesAfter(change, key),
    )
    const details = describeChange(change)
    if (details === '' && byRules.size === 0) return { policy: after, receipt: { durable: true } }

    await ctx.db
      .updateTable('organization')
      .set({ apiKeyPolicy: writePolicy(after) })
      .where('id', '=', organization.id)
      .execute()
    await revokeTogether(ctx, await lockedKeys(ctx, keysToRevoke), {
      selected: 'more than the policy allows',
      cause: 'POLICY',
    })
    await shortenLives(ctx, change, keysToRevoke)
    for (const [rules, group] of byRules) await updateKeys(ctx, group, { rules })
    await recordEvent(ctx, {
      action: 'api_keys.policy_changed',
      ...about('ORGANIZATION', organization.id, organization.name),
      changes: changesBetween({ ...before }, { ...after }),
      details: details || `as it was, now also for keys ${[...byRules.values()].flat().map(idOf).join(', ')}`,
    })
    return { policy: after, receipt: ctx.db.revokes ? ctx.db.receipt : { durable: true } }
  })
}

/** A policy applies to all keys, so one that may widen no key may not change it (C10). */
function requirePolicyManager(caller: Caller): void {
  requireKeyManager(caller)
  if (caller.kind !== 'API_KEY' || !hasOwnLimits(caller.rules)) return
  throw new AppError('FORBIDDEN', {
    message:
      'This API key has networks or limits of its own, so it may not change the policy of all keys. Ask a person who is an Admin.',
  })
}

const idOf = ({ id }: ApiKey) => id

/** The keys to which a rule is applied although they violate it. */
const keysViolating = ({ violations, applied }: Change, rule: ApiKeyRule): ApiKey[] =>
  applied.includes(rule) ? (violations.find((violation) => violation.rule === rule)?.apiKeys ?? []) : []

const lockedKeys = async (ctx: TransactionCtx, keys: readonly ApiKey[]): Promise<KeyToRevoke[]> =>
  keys.length === 0 ? [] : lockKeysToRevoke(ctx, (all) => all.where('id', 'in', keys.map(idOf)))

async function shortenLives(ctx: TransactionCtx, change: Change, revoked: readonly ApiKey[]): Promise<void> {
  const violating = new Set([...keysViolating(change, 'MAX_LIFETIME'), ...keysViolating(change, 'EXPIRY_REQUIRED')])
  const keys = [...violating].filter((key) => !revoked.includes(key))
  const expiresAt = expireByPolicy(change.after, ctx.now())
  ctx.db.recordRevocations((await lockedKeys(ctx, keys)).map((key) => keyRevocation(key, expiresAt)))
  await updateKeys(ctx, keys, { expiresAt })
  for (const key of keys) await recordShorterLife(ctx, key, { ...key, expiresAt })
}

const recordShorterLife = (ctx: TransactionCtx, before: ApiKey, after: ApiKey) =>
  recordEvent(ctx, {
    action: 'api_key.updated',
    ...about('API_KEY', before.id, before.label),
    details: `expires earlier, by the policy; key ${before.id}`,
    changes: changesBetween(auditedKey(before), auditedKey(after)),
  })

async function updateKeys({ db }: TransactionCtx, keys: ApiKey[], values: Partial<ApiKey>): Promise<void> {
  if (keys.length === 0) return
  await db.updateTable('apiKey').set(values).where('id', 'in', keys.map(idOf)).execute()
}

/** A rule that does not change stays with a key as it is, whether it applies to the key or not. */
function rulesAfter(change: Change, key: ApiKey): string | null {
  const { after } = change
  requireKnownRules(key)
  const { networks, noBrowser, noKeys, unlabelled, ...own } = readRules(key.rules)
  const concerns = (rule: ApiKeyRule) => concernsKey(change, rule, key)
  return writeRules({
    networks: concerns('ALLOWED_NETWORKS') ? after.allowedNetworks : networks,
    noBrowser: concerns('REJECT_BROWSERS') ? after.rejectBrowsers : noBrowser,
    noKeys: concerns('ALLOW_KEY_MANAGEMENT') ? !after.allowKeyManagement : noKeys,
    unlabelled: concerns('LABEL_REQUIRED') ? after.labelRequired && key.labelled === 0 : unlabelled,
    ...own,
  })
}

function concernsKey({ before, after, applied, violations }: Change, rule: ApiKeyRule, key: ApiKey): boolean {
  if (applied.includes(rule)) return true
  const isBroken = violations.some((violation) => violation.rule === rule && violation.apiKeys.includes(key))
  return inWords(before, rule) !== inWords(after, rule) && !isBroken
}

/** For the audit log; empty when nothing changes. */
function describeChange(change: Change): string {
  const { before, after } = change
  const changed = API_KEY_RULES.filter((rule) => inWords(before, rule) !== inWords(after, rule)).map(
    (rule) => `${FIELD_OF_RULE[rule]}: ${inWords(after, rule)}, was ${inWords(before, rule)}`,
  )
  const applied = API_KEY_RULES.map((rule) => ({ rule, keys: keysViolating(change, rule) }))
    .filter(({ keys }) => keys.length > 0)
    .map(({ rule, keys }) => `${rule} applied to keys ${keys.map(idOf).join(', ')}`)
  return [...changed, ...applied].join('; ')
}

function inWords(policy: ApiKeyPolicy, rule: ApiKeyRule): string {
  const value = policy[FIELD_OF_RULE[rule]]
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return String(value)
  return value?.join(' ') || 'any'
}
