import type { NewEvent } from '../../audit/audit-event.ts'
import { changesBetween } from '../../audit/changed-fields.ts'
import { actorOf, type Ctx, requireKeyManager } from '../../caller/ctx.ts'
import { readRules } from '../../caller/key-rules.ts'
import { isPaused, UNTIL_RESUMED } from '../../caller/verify-key.ts'
import { badInput } from '../../lib/check.ts'
import { DAY, HOUR, SECOND } from '../../lib/clock.ts'
import { requireNoWiderKey } from '../access/width.ts'
import { type ApiKey, NOT_PAUSED, type Pause } from '../api-key.ts'
import { changeKeyAtOnce } from '../change-key.ts'
import { type Counted, type UsedBy, usedBy } from '../usage/read-usage.ts'

export const MAX_PAUSE_SECONDS = (365 * DAY) / SECOND

/** Pauses a key, or gives a pause another end: no replica accepts it (C15). Works as a revoke does, also when the disk is full. */
export function pauseApiKey(outer: Ctx, id: string, seconds?: number | null): Promise<ApiKey> {
  requireKeyManager(outer.caller)
  const lengthMs = checkSeconds(seconds)
  return changeKeyAtOnce({ ...outer, usesReserve: 'revoke' }, id, async (ctx, key) => {
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
    const event = { action: 'api_key.paused', details: shownPause(change) ?? '' } as const
    return pauseOf(key, change, isOnce ? event : { ...event, budget: 'RESERVE' })
  })
}

/** Resumes a key that is paused: it is accepted at once. */
export function resumeApiKey(outer: Ctx, id: string): Promise<ApiKey> {
  requireKeyManager(outer.caller)
  return changeKeyAtOnce(outer, id, async (ctx, key) => {
    if (!isPaused(key, ctx.now())) return undefined
    requireNoWiderKey(ctx.caller, readRules(key.rules))
    return pauseOf(key, NOT_PAUSED, { action: 'api_key.resumed' })
  })
}

const pauseOf = (before: ApiKey, change: Pause, event: Pick<NewEvent, 'action' | 'details' | 'budget'>) => {
  const changes = changesBetween({ paused: shownPause(before) }, { paused: shownPause(change) })
  return { change, event: { ...event, changes } }
}

export const shownPause = ({ pausedUntil }: Pick<Pause, 'pausedUntil'>) =>
  pausedUntil === null
    ? null
    : pausedUntil === UNTIL_RESUMED
      ? 'until it is resumed'
      : `until ${new Date(pausedUntil).toISOString()}`

function checkSeconds(seconds: number | null | undefined): number | undefined {
  if (seconds == null) return undefined
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_PAUSE_SECONDS) return seconds * SECOND
  throw badInput(
    'seconds',
    `seconds: 1 to ${MAX_PAUSE_SECONDS}, which is a year. Leave it out to pause the key until it is resumed.`,
  )
}

/** Who was refused since the key was paused, within 48 hours: what a revoke would break. */
export interface RefusedWhilePaused extends UsedBy {
  calls: number
  lastAt: number | null
}

/** As usage/write-usage.ts writes it. */
interface Seen {
  paused?: { since: number; calls: number; lastAt: number; addresses: Counted; agents: Counted }
}

/** Null: it is not paused. Hours are stored for 48 hours. */
export async function refusedWhilePaused({ reads, now }: Ctx, key: ApiKey): Promise<RefusedWhilePaused | null> {
  const { id, pausedAt } = key
  if (pausedAt === null || !isPaused(key, now())) return null
  const rows = await reads
    .selectFrom('apiKeyUsage')
    .select('seen')
    .where('keyId', '=', id)
    .where('hour', '>=', pausedAt - (pausedAt % HOUR))
    .execute()
  const uses = rows
    .map(({ seen }) => (JSON.parse(seen) as Seen).paused)
    .filter((paused) => paused !== undefined)
    .filter(({ since }) => since === pausedAt)
  return {
    calls: uses.reduce((sum, { calls }) => sum + calls, 0),
    lastAt: uses.length === 0 ? null : Math.max(...uses.map(({ lastAt }) => lastAt)),
    ...usedBy(uses),
  }
}
