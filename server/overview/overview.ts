import { type ApiKey, keysByIds } from '../api-keys/api-key.ts'
import { listAuditEvents } from '../audit/audit-event.ts'
import type { Ctx } from '../caller/ctx.ts'
import { LIMITS } from '../config/limits.ts'
import type { AuditEventTable } from '../db/audit-event-table.ts'
import { STORED_KINDS, type StoredKind } from '../db/byte-budgets.ts'
import { ALL_PERIODS, dayOf } from '../db/stored-bytes.ts'
import { DAY } from '../lib/clock.ts'
import { countDevices, type DeviceCounts } from './device-counts.ts'
import { countStates, type KeyRow, type KeyStates, keyRows } from './key-states.ts'
import { type KeysUsage, usageOfAllKeys } from './key-usage.ts'

export const EVENTS = 8
export const BUSIEST = 5

export interface BusyKey {
  apiKey: ApiKey
  calls: number
  errors: number
}

export interface KeysOverview extends KeyStates {
  usage: (Omit<KeysUsage, 'keys'> & { busiest: BusyKey[] }) | null
  /** What of them needs attention is found in this. */
  rows: readonly KeyRow[]
  used: KeysUsage | null
}

/** The organization at a glance. A Member sees nothing of keys and of the audit log. */
export interface Overview {
  devices: DeviceCounts
  apiKeys: KeysOverview | null
  auditEvents: AuditEventTable[] | null
  storage: StoredBytes[] | null
}

export async function overview(ctx: Ctx): Promise<Overview> {
  const isAdmin = ctx.caller.role === 'ADMIN'
  const [devices, apiKeys, events, storage] = await Promise.all([
    countDevices(ctx),
    isAdmin ? overviewOfKeys(ctx) : null,
    isAdmin ? listAuditEvents(ctx, { first: EVENTS }) : null,
    isAdmin ? storedBytes(ctx) : null,
  ])
  return { devices, apiKeys, auditEvents: events?.data ?? null, storage }
}

async function overviewOfKeys(ctx: Ctx): Promise<KeysOverview> {
  const keys = await keyRows(ctx.reads, ctx.caller.organizationId).execute()
  const ids = keys.map(({ id }) => id)
  const used = await usageOfAllKeys(ctx, ids)
  const usage = used && { days: used.days, at: used.at, busiest: await busiestOf(ctx, used, new Set(ids)) }
  return { ...countStates(keys, ctx.now()), usage, rows: keys, used }
}

/** As they are now: a key that was revoked since it was counted is left out. */
async function busiestOf(ctx: Ctx, used: KeysUsage, existing: ReadonlySet<string>): Promise<BusyKey[]> {
  const first = used.keys.filter(({ id }) => existing.has(id)).slice(0, BUSIEST)
  if (first.length === 0) return []
  const keys = await keysByIds(
    ctx,
    first.map(({ id }) => id),
  )
  return first.flatMap(({ calls, errors }, index) => {
    const apiKey = keys[index]
    return apiKey ? [{ apiKey, calls, errors }] : []
  })
}

const NAMES = {
  audit_bytes_a_day: 'AUDIT_LOG',
  answer_bytes: 'RECORDED_ANSWERS',
  delivery_bytes: 'WAITING_DELIVERIES',
} as const satisfies Record<StoredKind, string>

export interface StoredBytes {
  kind: (typeof NAMES)[StoredKind]
  bytes: number
  maxBytes: number
  /** When there are all of them again; null: as what is stored expires or is delivered. */
  resetAt: number | null
}

/** The stored bytes of each kind, also of those of which nothing is stored. */
async function storedBytes({ reads, caller, now }: Ctx): Promise<StoredBytes[]> {
  const today = dayOf(now())
  const rows = await reads
    .selectFrom('storedBytes')
    .select(['kind', 'bytes'])
    .where('organizationId', '=', caller.organizationId)
    .where('kind', 'in', STORED_KINDS)
    .where('period', 'in', [ALL_PERIODS, today])
    .execute()
  return STORED_KINDS.map((kind) => ({
    kind: NAMES[kind],
    bytes: rows.find((row) => row.kind === kind)?.bytes ?? 0,
    maxBytes: LIMITS[kind],
    resetAt: kind === 'audit_bytes_a_day' ? today + DAY : null,
  }))
}
