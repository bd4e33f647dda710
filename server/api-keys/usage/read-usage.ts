import { sql } from 'kysely'
import type { Ctx } from '../../caller/ctx.ts'
import { heavyReads } from '../../db/long-list.ts'
import type { Db } from '../../db/tables.ts'
import { DAY, HOUR } from '../../lib/clock.ts'
import { partsOf } from '../../lib/parts.ts'
import { storable } from '../../lib/plain-text.ts'
import { MAX_ADDRESS_LENGTH, MAX_OPERATION_LENGTH, MAX_USER_AGENT_LENGTH } from './counter.ts'

/** How far back hours are stored, and how far back days are shown. */
export const HOURS_KEPT_MS = 48 * HOUR
export const DAYS_KEPT_MS = 90 * DAY
const RECENT_MS = 24 * HOUR
/** Reading the hours and days of this many keys takes a millisecond or two. */
const FEW_KEYS = 10
const KEYS_AT_ONCE = 5
/** The maximum number of addresses, user agents or operations in an answer: the most frequent. */
export const MAX_LISTED = 100

export type UsageUnit = 'HOUR' | 'DAY'

/** The calls of one hour or day, which begins at `at`; errors are refused calls. */
export interface ApiKeyUsage {
  at: number
  calls: number
  errors: number
}

export async function usageOfKeys(
  ctx: Ctx,
  keyIds: readonly string[],
  { since, by }: { since: number | null; by: UsageUnit },
): Promise<ApiKeyUsage[][]> {
  const { now } = ctx
  const db = keyIds.length > FEW_KEYS ? heavyReads(ctx) : ctx.reads
  const [unit, kept] = by === 'HOUR' ? [HOUR, HOURS_KEPT_MS] : [DAY, DAYS_KEPT_MS]
  const at = now()
  const earliest = at - (at % unit) - kept + unit // including the current one, as many as are stored
  const from = Math.max(earliest, since === null ? 0 : since - (since % unit))
  const rows = await (by === 'HOUR' ? hoursOf(db, keyIds, from) : daysOf(db, keyIds, from))
    .groupBy(['keyId', 'at'])
    .select(['keyId', 'at', total('calls'), total('errors')])
    .orderBy('at')
    .execute()
  const ofKey = Map.groupBy(rows, ({ keyId }) => keyId)
  return keyIds.map((keyId) => ofKey.get(keyId) ?? [])
}

const total = (column: 'calls' | 'errors') => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`.as(column)

const hoursOf = (db: Db, keyIds: readonly string[], from: number) =>
  db.selectFrom(countedHours(db, keyIds, from).select('hour as at').as('counted'))

/** Hours that are not added up yet, and days that are: in one query, so that none is read twice or missed. */
const daysOf = (db: Db, keyIds: readonly string[], from: number) =>
  db.selectFrom(
    countedHours(db, keyIds, from)
      .select(sql<number>`"hour" - "hour" % ${sql.lit(DAY)}`.as('at'))
      .unionAll(
        db
          .selectFrom('apiKeyUsageDay')
          .select(['keyId', 'calls', 'errors', 'day as at'])
          .where('keyId', 'in', keyIds)
          .where('day', '>=', from),
      )
      .as('counted'),
  )

const countedHours = (db: Db, keyIds: readonly string[], from: number) =>
  db
    .selectFrom('apiKeyUsage')
    .select(['keyId', 'calls', 'errors'])
    .where('keyId', 'in', keyIds)
    .where('hour', '>=', from)

/** How many calls had the same value; null for calls without one. */
export interface UsageCount {
  value: string | null
  calls: number
}

/** What would stop if the key were revoked: its users of 24 hours and what they did, the most frequent first. */
export interface RecentUsage extends UsedBy {
  calls: number
  errors: number
  operations: UsageCount[]
  otherOperationCalls: number
}

/** As `TopCounter` writes it. */
export type Counted = [value: string | null, calls: number][]
type Seen = Record<'addresses' | 'agents' | 'operations', Counted>

export interface UsedBy {
  addresses: UsageCount[]
  otherAddressCalls: number
  userAgents: UsageCount[]
  otherUserAgentCalls: number
}

export function usedBy(seen: readonly Pick<Seen, 'addresses' | 'agents'>[]): UsedBy {
  const addresses = top(seen, 'addresses', MAX_ADDRESS_LENGTH)
  const userAgents = top(seen, 'agents', MAX_USER_AGENT_LENGTH)
  return {
    addresses: addresses.listed,
    otherAddressCalls: addresses.otherCalls,
    userAgents: userAgents.listed,
    otherUserAgentCalls: userAgents.otherCalls,
  }
}

export async function recentUsage({ reads, now }: Ctx, keyId: string): Promise<RecentUsage> {
  const rows = await usesSince(reads, [keyId], now() - RECENT_MS)
  const seen = rows.map((row) => row.seen)
  const operations = top(seen, 'operations', MAX_OPERATION_LENGTH)
  return {
    calls: sumOf(rows),
    errors: rows.reduce((sum, { errors }) => sum + errors, 0),
    ...usedBy(seen),
    operations: operations.listed,
    otherOperationCalls: operations.otherCalls,
  }
}

const NOT_LISTED = ''

/** The addresses that each key was used from in the stored hours; the empty one means addresses that are not listed. */
export async function addressesOfKeys(
  { reads, now }: Ctx,
  keyIds: readonly string[],
): Promise<Map<string, Set<string>>> {
  const addresses = new Map<string, Set<string>>(keyIds.map((id) => [id, new Set()]))
  // The addresses of a hundred keys take long to read and to parse.
  for (const some of partsOf(keyIds, KEYS_AT_ONCE)) {
    for (const { keyId, seen } of await usesSince(reads, some, now() - HOURS_KEPT_MS)) {
      for (const [address] of seen.addresses) addresses.get(keyId)?.add(address ?? NOT_LISTED)
    }
  }
  return addresses
}

/** Includes the whole hour in which the period begins. */
async function usesSince(db: Db, keyIds: readonly string[], since: number) {
  const rows = await countedHours(db, keyIds, since - (since % HOUR))
    .select('seen')
    .execute()
  return rows.map(({ seen, ...row }) => ({ ...row, seen: JSON.parse(seen) as Seen })) // as write-usage.ts writes it
}

/** Removes secrets and control characters again: older versions stored values unchecked. */
function top<What extends keyof Seen>(
  seen: readonly Pick<Seen, What>[],
  what: What,
  longest: number,
): { listed: UsageCount[]; otherCalls: number } {
  const counts = new Map<string, number>()
  let otherCalls = 0
  for (const [sent, calls] of seen.flatMap((each) => each[what])) {
    if (sent === null) {
      otherCalls += calls
      continue
    }
    const value = storable(sent, longest)
    counts.set(value, (counts.get(value) ?? 0) + calls)
  }
  const all = [...counts].map(([value, calls]) => ({ value: value || null, calls })).sort((a, b) => b.calls - a.calls)
  return { listed: all.slice(0, MAX_LISTED), otherCalls: otherCalls + sumOf(all.slice(MAX_LISTED)) }
}

const sumOf = (counts: { calls: number }[]) => counts.reduce((sum, { calls }) => sum + calls, 0)
