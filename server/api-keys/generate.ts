import { about, recordEvent } from '../audit/audit-event.ts'
import { createdWith } from '../audit/changed-fields.ts'
import { actorOf, type Ctx, requireKeyManager, type TransactionCtx, withOrganizationLock } from '../caller/ctx.ts'
import { versionFor, writeRules } from '../caller/key-rules.ts'
import { ownLimitsOf } from '../caller/key-width.ts'
import { LIMITS, limitExceeded } from '../config/limits.ts'
import { API_KEY_COLUMNS, apiKeyRow } from '../db/api-key-row.ts'
import type { Db, Flag } from '../db/tables.ts'
import type { Receipt } from '../db/transaction.ts'
import { AppError } from '../lib/app-error.ts'
import { badInput, checkAll, checkName } from '../lib/check.ts'
import { newId } from '../lib/id.ts'
import { currentOrganization, type Organization } from '../organizations/organization.ts'
import { hashSecret, mintSecret } from '../secrets/secret.ts'
import { requireVerifiedEmail } from '../users/verified-email.ts'
import {
  checkDevice,
  checkNotBefore,
  type OwnRulesInput,
  ownRulesAfter,
  ownRulesInWords,
  shownRules,
} from './access/own-rules.ts'
import { requireNotWider } from './access/width.ts'
import { type ApiKey, auditedKey, countActiveKeys, NOT_PAUSED, type Pause } from './api-key.ts'
import { removeOldestExpired } from './expiry/expiry.ts'
import { checkExpiryAgainst, mostKeys, policyOf, rulesFor } from './policy/policy.ts'

export const PREFIX_LENGTH = 10

export interface GeneratedApiKey {
  apiKey: ApiKey
  secret: string
  /** Where it replaces another key: of the end of that one. */
  receipt?: Receipt
}

export interface NewKey extends OwnRulesInput {
  label?: string | null | undefined
  expiresAt?: number | null | undefined
}

/** Generates a key that is active at once (K1). The secret is in the answer and nowhere else (K4, C8). */
export function generateApiKey(outer: Ctx, input: NewKey = {}): Promise<GeneratedApiKey> {
  requireKeyManager(outer.caller)
  const now = outer.now()
  const { label, expiresAt } = checkNewKey(input, now)
  return withOrganizationLock(outer, async (ctx) => {
    requireKeyManager(ctx.caller)
    const policy = policyOf(await requireNewKeysAllowed(ctx))
    await requireRoom(ctx, mostKeys(policy))
    await removeOldestExpired(ctx)
    checkExpiryAgainst(policy, expiresAt, now)
    const labelled = input.label == null ? 0 : 1
    if (policy.labelRequired && !labelled)
      throw badInput('label', 'label: required, by the policy of the organization.')
    const own = ownRulesAfter(ownLimitsOf(ctx.caller), input)
    const stored = { ...rulesFor(policy), ...own }
    requireNotWider(ctx.caller, stored)
    await checkDevice(ctx, input, own)
    const rules = writeRules(stored)
    const generated = await insertKey(ctx, { label, labelled, expiresAt, rules, replacesId: null })
    const { apiKey } = generated
    await recordEvent(ctx, {
      action: 'api_key.generated',
      ...about('API_KEY', apiKey.id, apiKey.label),
      details: [`key ${apiKey.id}`, ownRulesInWords(own)].filter((words) => words !== '').join('; '),
      changes: createdWith({ ...auditedKey(apiKey), ...shownRules(own) }),
    })
    return generated
  })
}

/** Refuses a new key where the feature is off (F3), or for a person without a verified address (C14). */
export async function requireNewKeysAllowed(ctx: TransactionCtx): Promise<Organization> {
  const organization = await currentOrganization(ctx)
  if (organization.apiKeysEnabled === 0) throw new AppError('FEATURE_DISABLED')
  await requireVerifiedEmail(ctx)
  return organization
}

/** What is wrong with the input alone. */
export function checkNewKey(input: NewKey, now: number): { label: string | null; expiresAt: number | null } {
  const { rules, ...checked } = checkAll({
    label: () => (input.label == null ? null : checkName('label', input.label)),
    expiresAt: () => checkExpiry(input.expiresAt, now),
    rules: () => ownRulesAfter({}, input),
  })
  checkNotBefore(rules, checked.expiresAt)
  return checked
}

export function checkExpiry(expiresAt: number | null | undefined, now: number): number | null {
  if (expiresAt == null) return null
  if (expiresAt <= now) throw badInput('expiresAt', 'expiresAt: choose a date in the future.')
  return expiresAt
}

/** A key that has been replaced counts until it expires. */
async function requireRoom({ db, caller, now }: TransactionCtx, most: number): Promise<void> {
  if ((await countActiveKeys(db, caller.organizationId, now())) < most) return
  throw limitExceeded(
    'active_keys',
    `This organization may have ${most} active ${most === 1 ? 'key' : 'keys'}, counting replaced keys that still work: revoke one that is no longer used.`,
  )
}

/** Inserts a key with a new secret, inside the caller's transaction. */
export async function insertKey(
  { db, caller, now }: TransactionCtx,
  {
    label,
    inPlaceOf,
    pause = NOT_PAUSED,
    ...given
  }: {
    /** Null: made of the prefix. */
    label: string | null
    labelled: Flag
    expiresAt: number | null
    rules: string | null
    replacesId: string | null
    pause?: Pause | undefined
    /** For a rotation: the key that the new one replaces, in the lineage of keys. */
    inPlaceOf?: string
  },
): Promise<GeneratedApiKey> {
  const secret = mintSecret('emp_')
  const prefix = secret.slice(0, PREFIX_LENGTH)
  const creator = actorOf(caller)
  const createdAt = now()
  const apiKey = await db
    .insertInto('apiKey')
    .values(
      apiKeyRow({
        id: newId(createdAt),
        organizationId: caller.organizationId,
        label: label ?? prefix.replace('emp_', 'key-'),
        prefix,
        secretHash: hashSecret(secret),
        createdAt,
        createdByKind: creator.kind,
        createdById: creator.id,
        createdByName: creator.name,
        rulesVersion: versionFor({ rules: given.rules, pausedUntil: pause.pausedUntil }),
        ...pause,
        ...given,
      }),
    )
    .returning(API_KEY_COLUMNS)
    .executeTakeFirstOrThrow()
  const callerId = caller.kind === 'API_KEY' ? caller.keyId : undefined
  const above = [callerId, inPlaceOf].filter((id) => id !== undefined)
  if (above.length > 0) await insertLineage(db, { key: apiKey, callerId, above })
  return { apiKey, secret }
}

/**
 * A key descends from the key that created it and from all of that key's ancestors; if it replaces another key, also
 * from that key's ancestors. Not more than a hundred are stored, so that a key that rotates itself every hour does not store
 * more than others: first those that are accepted, of which there are no more, so that nobody can push one of them out by
 * generating keys that expire at once; then the nearest of the expired ones.
 */
async function insertLineage(
  db: Db,
  {
    key: { id: keyId, createdAt },
    callerId,
    above,
  }: { key: Pick<ApiKey, 'id' | 'createdAt'>; callerId: string | undefined; above: string[] },
): Promise<void> {
  const further = await db
    .selectFrom('apiKey') // ancestors that no longer exist are not needed
    .select(['id', 'expiresAt'])
    .where((eb) =>
      eb.or([
        eb('id', 'in', eb.selectFrom('apiKeyLineage').select('ancestorId').where('keyId', 'in', above)),
        ...(callerId === undefined ? [] : [eb('id', '=', callerId)]),
      ]),
    )
    .orderBy('id') // by age
    .execute()
  const isAccepted = ({ expiresAt }: { expiresAt: number | null }) => expiresAt === null || expiresAt > createdAt
  const nearest = further.toReversed().filter((key) => !isAccepted(key))
  const ancestors = [...further.filter(isAccepted), ...nearest].slice(0, LIMITS.key_ancestors).map(({ id }) => id)
  if (ancestors.length === 0) return
  await db
    .insertInto('apiKeyLineage')
    .values(ancestors.map((ancestorId) => ({ ancestorId, keyId })))
    .execute()
}
