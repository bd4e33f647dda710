import { type NewEvent, recordEvent } from '../../audit/audit-event.ts'
import { changesBetween } from '../../audit/changes.ts'
import { actorOf, type Ctx, inTransactionOn, requireKeyManager } from '../../ctx.ts'
import { forUpdate } from '../../db/locks.ts'
import { readRules, requireKnownRules, versionFor } from '../../key-rules.ts'
import { AppError } from '../../lib/app-error.ts'
import { badInput } from '../../lib/check.ts'
import { DAY, SECOND } from '../../lib/clock.ts'
import { isPaused, UNTIL_RESUMED } from '../../verify-key.ts'
import { requireNoWiderKey } from '../access/width.ts'
import { type ApiKey, keyWith, NOT_PAUSED, type Pause } from '../api-key.ts'
import { settled } from '../revoke.ts'

export const MAX_PAUSE_SECONDS = (365 * DAY) / SECOND

/**
 * Pauses a key for so many seconds, or until it is resumed: when this returns, no replica accepts it (C15). A key that
 * is paused already gets the new end. Works where API keys are disabled, and when the disk is full, as a revoke does.
 */
export function pauseApiKey(outer: Ctx, id: string, seconds?: number | null): Promise<ApiKey> {
  requireKeyManager(outer.caller)
  const lengthMs = checkSeconds(seconds)
  return withLockedKey({ ...outer, usesReserve: 'revoke' }, id, async (ctx, key) => {
    const now = ctx.now()
    const pausedUntil = lengthMs === undefined ? UNTIL_RESUMED : now + lengthMs
    const by = actorOf(ctx.caller)
    const isAlready = isPaused(key, now)
    if (isAlready && pausedUntil < (key.pausedUntil ?? 0)) requireNoWiderKey(ctx.caller, readRules(key.rules))
    const change = {
      pausedUntil,
      pausedAt: isAlready ? key.pausedAt : now,
      pausedByKind: by.kind,
      pausedById: by.id,
      pausedByName: by.name,
    }
    const isOnce = pausedUntil === UNTIL_RESUMED && key.pausedUntil !== UNTIL_RESUMED // others could fill the log
    const event = { action: 'api_key.paused', details: `${shownPause(change)}; key ${id}` } as const
    return { change, event: isOnce ? event : { ...event, budget: 'RESERVE' } }
  })
}

/** Resumes a key that is paused: it is accepted at once. */
export function resumeApiKey(outer: Ctx, id: string): Promise<ApiKey> {
  requireKeyManager(outer.caller)
  return withLockedKey(outer, id, async (ctx, key) => {
    if (!isPaused(key, ctx.now())) return undefined
    requireNoWiderKey(ctx.caller, readRules(key.rules))
    return { change: NOT_PAUSED, event: { action: 'api_key.resumed', details: `key ${id}` } }
  })
}

interface Outcome {
  change: Pause
  event: Pick<NewEvent, 'action' | 'details' | 'budget'>
}

/** Locked as by a revoke: it waits for writes with the key in progress, and later ones see the change. */
function withLockedKey(
  outer: Ctx,
  id: string,
  decide: (ctx: Ctx, key: ApiKey) => Promise<Outcome | undefined>,
): Promise<ApiKey> {
  const find = (ctx: Ctx) => forUpdate(ctx.db, keyWith(ctx, id)).executeTakeFirst()
  return inTransactionOn(outer, find, async (ctx, key) => {
    requireKeyManager(ctx.caller)
    if (!key) throw new AppError('NOT_FOUND')
    requireKnownRules(key)
    const outcome = await decide(ctx, key)
    if (!outcome) return key
    const { change, event } = outcome
    const changed = { ...change, rulesVersion: versionFor({ ...key, ...change }) }
    await ctx.db.updateTable('apiKey').set(changed).where('id', '=', id).execute()
    await recordEvent(ctx, {
      ...event,
      subject: key.label,
      subjectType: 'API_KEY',
      subjectId: id,
      changes: changesBetween({ paused: shownPause(key) }, { paused: shownPause(changed) }),
    })
    return { ...key, ...changed }
  }).catch(settled(outer))
}

/** For the audit log. */
export const shownPause = ({ pausedUntil }: Pick<Pause, 'pausedUntil'>) =>
  pausedUntil === null
    ? null
    : pausedUntil === UNTIL_RESUMED
      ? 'until it is resumed'
      : `until ${new Date(pausedUntil).toISOString()}`

/** In milliseconds; undefined: until it is resumed. */
function checkSeconds(seconds: number | null | undefined): number | undefined {
  if (seconds == null) return undefined
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_PAUSE_SECONDS) return seconds * SECOND
  throw badInput(
    'seconds',
    `seconds: 1 to ${MAX_PAUSE_SECONDS}, which is a year. Leave it out to pause the key until it is resumed.`,
  )
}
