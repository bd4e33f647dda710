import { type ApiKeyUsage, usageOfKeys } from '../api-keys/usage/read-usage.ts'
import type { Ctx } from '../caller/ctx.ts'
import { DAY } from '../lib/clock.ts'
import { Snapshots } from './snapshots.ts'

export const DAYS = 30
/** The usage of so many keys is read in a millisecond or two. */
const FEW_KEYS = 10
const MAX_INT = 2 ** 31 - 1

export interface KeysUsage {
  /** The oldest first, without days that have no calls. */
  days: ApiKeyUsage[]
  /** By the id of the key; only those that were used, the most calls first. */
  keys: UsageOfKey[]
  at: number
}

export interface UsageOfKey {
  id: string
  calls: number
  errors: number
  /** Today and yesterday. */
  recent: Pick<ApiKeyUsage, 'calls' | 'errors'>
}

type Sums = Omit<KeysUsage, 'at'>

const snapshots = new Snapshots<Sums>()

/** The usage of these keys in the last 30 days, now or a few seconds ago; null if they are many and not added up yet. */
export async function usageOfAllKeys(ctx: Ctx, keyIds: readonly string[]): Promise<KeysUsage | null> {
  const { caller, now } = ctx
  const at = now()
  if (keyIds.length === 0) return { days: [], keys: [], at }
  const { isDisconnected: _, ...forAll } = ctx // others wait for the result too
  const read = async () => addedUp(keyIds, await usageOfKeys(forAll, keyIds, { since: firstDay(at), by: 'DAY' }), at)
  if (keyIds.length <= FEW_KEYS) return { ...(await read()), at }
  const latest = await snapshots.latest(caller.organizationId, at, read)
  return latest ? { ...latest.value, at: latest.at } : null
}

const firstDay = (now: number) => now - (now % DAY) - (DAYS - 1) * DAY

function addedUp(keyIds: readonly string[], usage: readonly ApiKeyUsage[][], now: number): Sums {
  const yesterday = now - (now % DAY) - DAY
  const days = Map.groupBy(usage.flat(), ({ at }) => at)
  return {
    days: [...days].map(([at, rows]) => ({ at, ...sumOf(rows) })).sort((a, b) => a.at - b.at),
    keys: keyIds
      .map((id, index) => {
        const ofKey = usage[index] ?? []
        return { id, ...sumOf(ofKey), recent: sumOf(ofKey.filter(({ at }) => at >= yesterday)) }
      })
      .filter(({ calls, errors }) => calls + errors > 0)
      .sort((a, b) => b.calls - a.calls || b.errors - a.errors || (a.id < b.id ? -1 : 1)),
  }
}

function sumOf(rows: readonly ApiKeyUsage[]): Pick<ApiKeyUsage, 'calls' | 'errors'> {
  const sum = (what: 'calls' | 'errors') =>
    Math.min(
      MAX_INT,
      rows.reduce((total, row) => total + row[what], 0),
    )
  return { calls: sum('calls'), errors: sum('errors') }
}
