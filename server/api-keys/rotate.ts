import type { ExpressionBuilder } from 'kysely'
import { recordEvent } from '../audit/audit-event.ts'
import { type Ctx, inHeldOrganization, requireAdmin, requireKeyManager } from '../ctx.ts'
import { countRows } from '../db/count.ts'
import { atTheEnd, claim } from '../db/locks.ts'
import type { Tables } from '../db/tables.ts'
import { badInput } from '../lib/check.ts'
import { DAY, LAST_MOMENT, SECOND } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import { limitExceeded, noteLimitRefusal } from '../limits.ts'
import { currentOrganization } from '../organizations/organization.ts'
import { requireVerifiedEmail } from '../users/verified-email.ts'
import { API_KEY_COLUMNS, type ApiKey, activeKeysOf } from './api-key.ts'
import { makeRoomAmongKept } from './ends.ts'
import { checkEnd, type GeneratedApiKey, insertKey } from './generate.ts'
import { type ApiKeyPolicy, checkEndAgainst, mostKeys, policyOf } from './policy.ts'
import { deletionOf } from './revoke.ts'

export const DEFAULT_OVERLAP_SECONDS = DAY / SECOND
export const MAX_OVERLAP_SECONDS = (7 * DAY) / SECOND

interface Rotation {
  /** How long the old key is still accepted; 0 revokes it at once. */
  overlapSeconds?: number | null | undefined
  /** The end of the new key; absent: it lives as long as the old one was meant to. */
  expiresAt?: number | null | undefined
}

/** Puts a new key in the place of another, which ends after the overlap. The new one has its label and its rules. */
export function rotateApiKey(outer: Ctx, id: string, rotation: Rotation = {}): Promise<GeneratedApiKey> {
  requireKeyManager(outer.caller)
  const overlapSeconds = checkOverlap(rotation.overlapSeconds ?? DEFAULT_OVERLAP_SECONDS)
  const wantedEnd = checkEnd(rotation.expiresAt, outer.now())

  return inHeldOrganization(outer, async (ctx) => {
    requireKeyManager(ctx.caller)
    const organization = await currentOrganization(ctx)
    if (organization.apiKeysEnabled === 0) throw new Failure('FEATURE_DISABLED')
    await requireVerifiedEmail(ctx)
    const { old, outgoing } = await claimOld(ctx, id)
    const { label, labelled, rules } = old
    const policy = policyOf(organization)
    const expiresAt = endOf(old, { wantedEnd, policy, now: ctx.now() })
    const isAtOnce = overlapSeconds === 0
    if (!isAtOnce) {
      await requireRoomForOverlap(ctx, { outgoing, most: mostKeys(policy) })
      await makeRoomAmongKept(ctx)
    }
    const replacesId = isAtOnce && outgoing ? outgoing.id : old.id
    const generated = await insertKey(ctx, { label, labelled, rules, expiresAt, replacesId, inPlaceOf: old.id })
    const replacedById = generated.apiKey.id
    if (isAtOnce) {
      if (outgoing) await change(ctx, outgoing.id, { replacedById })
      await atTheEnd(ctx.db, deletionOf(ctx, [old]))
    } else {
      await change(ctx, old.id, {
        replacedById,
        expiresAt: earlier(old.expiresAt, ctx.now() + overlapSeconds * SECOND),
      })
    }
    await recordEvent(ctx, {
      action: 'api_key.rotated',
      subject: label,
      details: `key ${replacedById} replaces key ${old.id}; overlap ${overlapSeconds} s`,
    })
    return generated
  })
}

/** The keys with these ids, in their order; null for one that is gone, or not in the organization. */
export async function keysByIds(ctx: Ctx, ids: readonly string[]): Promise<(ApiKey | null)[]> {
  requireAdmin(ctx.caller)
  const found = await ctx.db
    .selectFrom('apiKey')
    .select(API_KEY_COLUMNS)
    .where('organizationId', '=', ctx.caller.organizationId)
    .where('id', 'in', ids)
    .execute()
  const byId = new Map(found.map((key) => [key.id, key]))
  return ids.map((id) => byId.get(id) ?? null)
}

function checkOverlap(seconds: number): number {
  if (seconds >= 0 && seconds <= MAX_OVERLAP_SECONDS) return seconds
  throw badInput('overlapSeconds', `overlapSeconds: 0 to ${MAX_OVERLAP_SECONDS}, which is seven days.`)
}

/** The key, and the one that it has replaced itself, if that is still there: claimed in the order of their ids. */
async function claimOld({ db, caller, now }: Ctx, id: string): Promise<{ old: ApiKey; outgoing: ApiKey | undefined }> {
  const both = db
    .selectFrom('apiKey')
    .select(API_KEY_COLUMNS)
    .where('organizationId', '=', caller.organizationId)
    .where((eb) => eb.or([eb('id', '=', id), eb('replacedById', '=', id)]))
    .orderBy('id')
  const claimed = await claim(db, both).execute()
  const old = claimed.find((key) => key.id === id)
  if (!old) throw new Failure('NOT_FOUND')
  if (old.replacedById !== null)
    throw conflict('This key has been replaced already: rotate the one in its place, or generate a new one.')
  if (old.expiresAt !== null && old.expiresAt <= now()) throw conflict('This key has ended: generate a new one.')
  return { old, outgoing: claimed.find((key) => key.id !== id) }
}

/**
 * With an overlap there is one active key more. A line has two at most, and an organization that has more lines than it may
 * have keys gets no further key. So there are never more than twice as many active keys as it may have.
 */
async function requireRoomForOverlap(
  { db, caller, now }: Ctx,
  { outgoing, most }: { outgoing: ApiKey | undefined; most: number },
): Promise<void> {
  if (outgoing && isActive(outgoing, now())) {
    noteLimitRefusal('keys_of_line')
    throw conflict(
      `The key before this one, ${outgoing.id}, is still accepted${untilWhen(outgoing)}, and at most two keys of one line are: revoke that one, or wait, or rotate with an overlap of 0, which revokes this key at once and leaves that one as it is.`,
    )
  }
  const lines = await countRows(activeKeysOf(db, caller.organizationId, now()).where(isNewestOfLine(now())))
  if (lines <= most) return
  throw limitExceeded(
    'active_keys',
    `The organization has ${lines} keys in use and may have ${most}: revoke one that is no longer used, or rotate with an overlap of 0.`,
  )
}

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

const conflict = (says: string) => new Failure('CONFLICT', { says })

/** Where none is wanted, the same length of life, as far as the policy allows it. */
function endOf(
  { createdAt, expiresAt }: ApiKey,
  { wantedEnd, policy, now }: { wantedEnd: number | null; policy: ApiKeyPolicy; now: number },
): number | null {
  const { longestLifeDays } = policy
  const sameLife = expiresAt === null ? null : Math.min(now + (expiresAt - createdAt), LAST_MOMENT)
  const end = wantedEnd ?? (longestLifeDays === null ? sameLife : earlier(sameLife, now + longestLifeDays * DAY))
  checkEndAgainst(policy, end, now)
  return end
}

const earlier = (end: number | null, other: number) => (end === null ? other : Math.min(end, other))

async function change({ db }: Ctx, id: string, to: Partial<Pick<ApiKey, 'replacedById' | 'expiresAt'>>): Promise<void> {
  await db.updateTable('apiKey').set(to).where('id', '=', id).execute()
}
