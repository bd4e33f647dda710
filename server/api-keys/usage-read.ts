import { sql } from 'kysely'
import type { Ctx } from '../ctx.ts'
import { heavyReadOf } from '../db/long-list.ts'
import type { Db } from '../db/tables.ts'
import { DAY, HOUR } from '../lib/clock.ts'
import { partsOf } from '../lib/parts.ts'
import { storable } from '../lib/plain-text.ts'
import { LONGEST_ADDRESS, LONGEST_AGENT, LONGEST_OPERATION } from './usage-counter.ts'

/** How far back each is kept. */
export const HOURS_KEPT_MS = 48 * HOUR
export const DAYS_KEPT_MS = 90 * DAY
const RECENT_MS = 24 * HOUR
/** Their hours and days are read in a millisecond or two. */
const FEW_KEYS = 10
const KEYS_AT_ONCE = 5
/** Of addresses, user agents or operations, the most frequent. */
export const MOST_NAMED = 100

export type UsageUnit = 'HOUR' | 'DAY'

/** What happened in an hour or a day, which begins at `at`; errors are calls that were refused. */
export interface ApiKeyUsage {
  at: number
  calls: number
  errors: number
}

/** Of several keys at once, the oldest first, without the hours and days in which nothing happened. */
export async function usageOfKeys(
  ctx: Ctx,
  keyIds: readonly string[],
  { since, by }: { since: number | null; by: UsageUnit },
): Promise<ApiKeyUsage[][]> {
  const { now } = ctx
  const db = keyIds.length > FEW_KEYS ? heavyReadOf(ctx) : ctx.db
  const [unit, kept] = by === 'HOUR' ? [HOUR, HOURS_KEPT_MS] : [DAY, DAYS_KEPT_MS]
  const earliest = now() - (now() % unit) - kept + unit // with the one that has begun, as many as are kept
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

/** Hours that are not yet added up, and days that are: in one query, so that none is seen twice or not at all. */
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

export interface UseCount {
  name: string
  calls: number
}

/** What would stop if the key were revoked: who used it in the last day, and for what, the most frequent first. */
export interface RecentUse {
  calls: number
  errors: number
  addresses: UseCount[]
  userAgents: UseCount[]
  operations: UseCount[]
}

type Seen = Record<'addresses' | 'agents' | 'operations', [name: string, calls: number][]>

export async function recentUse({ db, now }: Ctx, keyId: string): Promise<RecentUse> {
  const rows = await usesSince(db, [keyId], now() - RECENT_MS)
  const seen = rows.map((row) => row.seen)
  return {
    calls: sumOf(rows.map(({ calls }) => calls)),
    errors: sumOf(rows.map(({ errors }) => errors)),
    addresses: added(
      seen.map(({ addresses }) => addresses),
      LONGEST_ADDRESS,
    ),
    userAgents: added(
      seen.map(({ agents }) => agents),
      LONGEST_AGENT,
    ),
    operations: added(
      seen.map(({ operations }) => operations),
      LONGEST_OPERATION,
    ),
  }
}

/** From which addresses each key was seen in the hours that are kept. */
export async function addressesOfKeys({ db, now }: Ctx, keyIds: readonly string[]): Promise<Map<string, Set<string>>> {
  const addresses = new Map<string, Set<string>>(keyIds.map((id) => [id, new Set()]))
  // What is seen of a hundred keys takes long to read and to parse.
  for (const some of partsOf(keyIds, KEYS_AT_ONCE)) {
    for (const { keyId, seen } of await usesSince(db, some, now() - HOURS_KEPT_MS)) {
      for (const [address] of seen.addresses) addresses.get(keyId)?.add(address)
    }
  }
  return addresses
}

/** With the whole of the hour in which it begins. */
async function usesSince(db: Db, keyIds: readonly string[], since: number) {
  const rows = await countedHours(db, keyIds, since - (since % HOUR))
    .select('seen')
    .execute()
  return rows.map(({ seen, ...row }) => ({ ...row, seen: JSON.parse(seen) as Seen })) // as usage-write.ts writes it
}

/** Cleaned once more: older versions stored names as they came. */
function added(lists: Seen['addresses'][], longest: number): UseCount[] {
  const counts = new Map<string, number>()
  for (const [sent, calls] of lists.flat()) {
    const name = storable(sent, longest)
    counts.set(name, (counts.get(name) ?? 0) + calls)
  }
  return [...counts]
    .map(([name, calls]) => ({ name, calls }))
    .sort((a, b) => b.calls - a.calls)
    .slice(0, MOST_NAMED)
}

const sumOf = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0)
