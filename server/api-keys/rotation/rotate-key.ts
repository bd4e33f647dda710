import type { ExpressionBuilder } from 'kysely'
import { about, type NewEvent, recordEvent } from '../../audit/audit-event.ts'
import { changesBetween } from '../../audit/changed-fields.ts'
import { type Ctx, requireKeyManager, type TransactionCtx, withOrganizationLock } from '../../caller/ctx.ts'
import { readRules, requireKnownRules, writeRules } from '../../caller/key-rules.ts'
import { isPaused } from '../../caller/verify-key.ts'
import { countLimitRefusal, limitExceeded } from '../../config/limits.ts'
import { API_KEY_COLUMNS } from '../../db/api-key-row.ts'
import { countRows } from '../../db/count.ts'
import { forUpdate } from '../../db/locks.ts'
import type { ApiKeyTable, Tables } from '../../db/tables.ts'
import type { Receipt } from '../../db/transaction.ts'
import { AppError } from '../../lib/app-error.ts'
import { badInput } from '../../lib/check.ts'
import { DAY, LAST_MOMENT, SECOND } from '../../lib/clock.ts'
import { checkExpiryAfter } from '../access/own-rules.ts'
import { requireNoWiderKey } from '../access/width.ts'
import { type ApiKey, activeKeysOf, auditedKey, type Pause } from '../api-key.ts'
import { removeOldestExpired } from '../expiry/expiry.ts'
import { checkExpiry, type GeneratedApiKey, insertKey, requireNewKeysAllowed } from '../generate.ts'
import { shownPause } from '../pause/pause-keys.ts'
import { type ApiKeyPolicy, checkExpiryAgainst, mostKeys, policyOf } from '../policy/policy.ts'
import { keyRevocation, revokeKeys } from '../revoke.ts'

export const DEFAULT_OVERLAP_SECONDS = DAY / SECOND
export const MAX_OVERLAP_SECONDS = (7 * DAY) / SECOND

interface Rotation {
  /** How long the old key is still accepted; 0 revokes it at once. */
  overlapSeconds?: number | null | undefined
  /** The expiration of the new key; absent: the lifetime of the old key, from now on. */
  expiresAt?: number | null | undefined
}

interface RotatedApiKey extends GeneratedApiKey {
  /** The receipt of the end of the old key. */
  receipt: Receipt
}

/** Replaces a key by one with the same label, rules and pause: a rotation does not resume. The old one expires after the overlap. */
export function rotateApiKey(outer: Ctx, id: string, rotation: Rotation = {}): Promise<RotatedApiKey> {
  requireKeyManager(outer.caller)
  const overlapSeconds = checkOverlap(rotation.overlapSeconds ?? DEFAULT_OVERLAP_SECONDS)
  const wantedExpiry = checkExpiry(rotation.expiresAt, outer.now())

  return withOrganizationLock(outer, async (ctx) => {
    requireKeyManager(ctx.caller)
    const organization = await requireNewKeysAllowed(ctx)
    const { old, rotated } = await lockKeyToRotate(ctx, id)
    requireKnownRules(old)
    const stored = readRules(old.rules)
    requireNoWiderKey(ctx.caller, stored)
    const { label, labelled } = old
    const rules = writeRules({ countedAs: old.id, ...stored })
    const policy = policyOf(organization)
    requireNoLongerLife(ctx, old, wantedExpiry)
    const expiresAt = expiryOf(old, { wantedExpiry, policy, now: ctx.now() })
    checkExpiryAfter(stored, expiresAt)
    const isAtOnce = overlapSeconds === 0
    if (!isAtOnce) {
      await requireRoomForOverlap(ctx, { rotated, most: mostKeys(policy) })
      await removeOldestExpired(ctx)
    }
    const replacesId = isAtOnce && rotated ? rotated.id : old.id
    const pause = isPaused(old, ctx.now()) ? pauseOf(old) : undefined
    const generated = await insertKey(ctx, { label, labelled, rules, expiresAt, replacesId, pause, inPlaceOf: old.id })
    const replacedById = generated.apiKey.id
    const endsAt = earlier(old.expiresAt, ctx.now() + overlapSeconds * SECOND)
    const event: NewEvent = {
      action: 'api_key.rotated',
      ...about('API_KEY', old.id, label),
      changes: changesBetween(
        { ...auditedKey(old), replacedBy: null },
        { ...auditedKey({ label, expiresAt: endsAt }), replacedBy: replacedById },
      ),
      details: `key ${replacedById} replaces key ${old.id}; overlap ${overlapSeconds} s${pause ? `; paused ${shownPause(pause)}` : ''}`,
      budget: 'RESERVE', // after a leak, when another key has filled the log
    }
    if (isAtOnce) {
      if (rotated) await change(ctx, rotated.id, { replacedById })
      const { receipt } = await revokeKeys(ctx, [old], { cause: 'ROTATED', events: [event] })
      return { ...generated, receipt }
    }
    await change(ctx, old.id, { replacedById, expiresAt: endsAt })
    await recordEvent(ctx, event)
    return { ...generated, receipt: ctx.db.recordRevocations([keyRevocation(old, endsAt)]) }
  })
}

function checkOverlap(seconds: number): number {
  if (seconds >= 0 && seconds <= MAX_OVERLAP_SECONDS) return seconds
  throw badInput('overlapSeconds', `overlapSeconds: 0 to ${MAX_OVERLAP_SECONDS}, which is seven days.`)
}

/** The key, and the one that it has replaced, if that still exists: locked in the order of their ids. */
async function lockKeyToRotate(
  { db, caller, now }: TransactionCtx,
  id: string,
): Promise<{ old: ApiKey & Pick<ApiKeyTable, 'secretHash'>; rotated: ApiKey | undefined }> {
  const both = db
    .selectFrom('apiKey')
    .select([...API_KEY_COLUMNS, 'secretHash'])
    .where('organizationId', '=', caller.organizationId)
    .where((eb) => eb.or([eb('id', '=', id), eb('replacedById', '=', id)]))
    .orderBy('id')
  const claimed = await forUpdate(db, both).execute()
  const old = claimed.find((key) => key.id === id)
  if (!old) throw new AppError('NOT_FOUND')
  if (old.replacedById !== null)
    throw conflict('This key has been replaced already: rotate the key that replaced it, or generate a new one.')
  if (old.expiresAt !== null && old.expiresAt <= now()) throw conflict('This key has expired: generate a new one.')
  return { old, rotated: claimed.find((key) => key.id !== id) }
}

/** A chain has two active keys at most, and there are no more chains than the maximum: so at most twice as many active keys. */
async function requireRoomForOverlap(
  { db, caller, now }: TransactionCtx,
  { rotated, most }: { rotated: ApiKey | undefined; most: number },
): Promise<void> {
  if (rotated && isActive(rotated, now())) {
    countLimitRefusal('keys_of_rotation_chain')
    throw conflict(
      `The key before this one, ${rotated.id}, is still accepted${untilWhen(rotated)}, and at most two keys of one rotation chain are: revoke that one, or wait, or rotate with an overlap of 0, which revokes this key at once and does not affect that one.`,
    )
  }
  const lines = await countRows(activeKeysOf(db, caller.organizationId, now()).where(isNewestOfLine(now())))
  if (lines <= most) return
  throw limitExceeded(
    'active_keys',
    `The organization has ${lines} keys in use and may have ${most}: revoke one that is no longer used, or rotate with an overlap of 0.`,
  )
}

const pauseOf = ({ pausedUntil, pausedAt, pausedByKind, pausedById, pausedByName }: ApiKey): Pause => ({
  pausedUntil,
  pausedAt,
  pausedByKind,
  pausedById,
  pausedByName,
})

const isActive = ({ expiresAt }: ApiKey, now: number) => expiresAt === null || expiresAt > now

const untilWhen = ({ expiresAt }: ApiKey) => (expiresAt === null ? '' : ` until ${new Date(expiresAt).toISOString()}`)

const isNewestOfLine = (now: number) => (eb: ExpressionBuilder<Tables, 'apiKey'>) =>
  eb.not(
    eb.exists(
      eb
        .selectFrom('apiKey as next')
        .select('next.id')
        .whereRef('next.id', '=', 'apiKey.replacedById')
        .where((next) => next.or([next('next.expiresAt', 'is', null), next('next.expiresAt', '>', now)])),
    ),
  )

const conflict = (message: string) => new AppError('CONFLICT', { message })

/** A key with less than the whole access rotates itself alone, and gives itself no longer life than it had. */
function requireNoLongerLife({ caller, now }: Ctx, old: ApiKey, wantedExpiry: number | null): void {
  if (caller.kind !== 'API_KEY' || caller.rules.access === 'ADMIN') return
  const end = lifeFrom(now(), old)
  if (end === null || wantedExpiry === null || wantedExpiry <= end) return
  throw new AppError('FORBIDDEN', {
    field: 'expiresAt',
    message:
      'expiresAt: a key that rotates itself gets at most the lifetime that it had, counted from now. Ask an Admin for a longer one.',
  })
}

/** The end of the same lifetime, counted from a moment; null for a key that does not expire. */
const lifeFrom = (moment: number, { createdAt, expiresAt }: ApiKey) =>
  expiresAt === null ? null : Math.min(moment + (expiresAt - createdAt), LAST_MOMENT)

/** Without a given expiration, the same lifetime, as far as the policy allows it. */
function expiryOf(
  old: ApiKey,
  { wantedExpiry, policy, now }: { wantedExpiry: number | null; policy: ApiKeyPolicy; now: number },
): number | null {
  const { maxLifetimeDays } = policy
  const sameLife = lifeFrom(now, old)
  const end = wantedExpiry ?? (maxLifetimeDays === null ? sameLife : earlier(sameLife, now + maxLifetimeDays * DAY))
  checkExpiryAgainst(policy, end, now)
  return end
}

const earlier = (end: number | null, other: number) => (end === null ? other : Math.min(end, other))

async function change(
  { db }: TransactionCtx,
  id: string,
  to: Partial<Pick<ApiKey, 'replacedById' | 'expiresAt'>>,
): Promise<void> {
  await db.updateTable('apiKey').set(to).where('id', '=', id).execute()
}
