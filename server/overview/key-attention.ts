import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { keysByIds } from '../api-keys/api-key.ts'
import { type ApiKeyState, IS } from '../api-keys/list/states.ts'
import { suggestedAccess } from '../api-keys/usage/suggested-access.ts'
import type { Ctx } from '../caller/ctx.ts'
import { type ApiKeyAccess, type FieldAccess, keyRules, NARROWER } from '../caller/key-rules.ts'
import type { Retention } from '../config/retention-period.ts'
import type { KeyRow } from './key-states.ts'
import type { KeysUsage, UsageOfKey } from './key-usage.ts'
import { Snapshots } from './snapshots.ts'

/** A key is refused a lot from so many calls on, if they are at least a tenth of its calls. */
const MANY_REFUSED = 10
const SHARE_REFUSED = 0.1
/** What so many keys requested in 30 days is read in some milliseconds. */
export const KEYS_COMPARED = 10

export interface KnownKeys {
  rows: readonly KeyRow[]
  used: KeysUsage | null
}

export interface FoundKey {
  id: string
  refusedCalls?: number
  suggestedAccess?: ApiKeyAccess
}

export interface Suggesting {
  retention: Pick<Retention, 'usageDays'>
  accessNamed: (field: string) => FieldAccess
}

/** Keys that were refused a lot today and yesterday, the most refused first. A paused one is refused on purpose. */
export function refusedKeys({ rows, used }: KnownKeys, now: number): FoundKey[] {
  const keys = new Map(rows.map((key) => [key.id, key]))
  const isRefusedOften = ({ id, recent: { calls, errors } }: UsageOfKey) => {
    const key = keys.get(id)
    return key && !IS.PAUSED(key, now) && errors >= MANY_REFUSED && errors >= (calls + errors) * SHARE_REFUSED
  }
  const found = used?.keys.filter(isRefusedOften) ?? []
  return found
    .map(({ id, recent }) => ({ id, refusedCalls: recent.errors }))
    .sort((a, b) => b.refusedCalls - a.refusedCalls)
}

/** Keys that expire soon and are not replaced yet, the soonest first. */
export const expiringKeys = ({ rows }: KnownKeys, now: number): FoundKey[] =>
  inState(rows, 'EXPIRING', now)
    .filter(({ replacedById }) => replacedById === null)
    .sort((a, b) => Number(a.expiresAt) - Number(b.expiresAt))

/** Keys without a call for long, the longest first. */
export const unusedKeys = ({ rows }: KnownKeys, now: number): FoundKey[] =>
  inState(rows, 'UNUSED', now).sort((a, b) => (a.lastUsedAt ?? a.createdAt) - (b.lastUsedAt ?? b.createdAt))

const inState = (rows: readonly KeyRow[], state: ApiKeyState, now: number) => rows.filter((key) => IS[state](key, now))

const snapshots = new Snapshots<FoundKey[]>()

/** Keys that need less than they may do, among the active ones with the most calls; none until that was found out first. */
export async function broadKeys(ctx: Ctx, { rows, used }: KnownKeys, suggesting: Suggesting): Promise<FoundKey[]> {
  const now = ctx.now()
  const narrower = new Map(
    rows.filter((key) => IS.ACTIVE(key, now)).map(({ id, rules }) => [id, NARROWER[keyRules(rules).access]]),
  )
  const busiest = used?.keys.filter(({ id, calls }) => calls > 0 && narrower.get(id)?.length) ?? []
  if (busiest.length === 0) return []
  const ids = busiest.slice(0, KEYS_COMPARED).map(({ id }) => id)
  const { isDisconnected: _, ...forAll } = ctx // others wait for the result too
  const latest = await snapshots.latest(ctx.caller.organizationId, now, () => keysToNarrow(forAll, ids, suggesting))
  const found = latest?.value ?? []
  return found.filter(({ id, suggestedAccess: access }) => narrower.get(id)?.some((each) => each === access))
}

async function keysToNarrow(ctx: Ctx, ids: readonly string[], suggesting: Suggesting): Promise<FoundKey[]> {
  const found: FoundKey[] = []
  for (const key of await keysByIds(ctx, ids)) {
    if (!key) continue
    const { access } = await suggestedAccess(ctx, key, suggesting)
    if (access !== null && access !== keyRules(key.rules).access) found.push({ id: key.id, suggestedAccess: access })
    await yieldToEventLoop()
  }
  return found
}
