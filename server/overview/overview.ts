import { API_KEY_COLUMNS, type ApiKey } from '../api-keys/api-key.ts'
import { listAuditEvents } from '../audit/audit-event.ts'
import type { Ctx } from '../ctx.ts'
import type { AuditEventTable } from '../db/audit-event-table.ts'
import { countDevices, type DeviceCounts } from './device-counts.ts'
import { countStates, type KeyStates, keyTimes } from './key-states.ts'
import { type KeysUsage, usageOfAllKeys } from './key-usage.ts'
import { type StoredBytes, storedBytes } from './storage.ts'

export const EVENTS = 8
export const BUSIEST = 5

export interface BusyKey {
  apiKey: ApiKey
  calls: number
  errors: number
}

export interface KeysOverview extends KeyStates {
  usage: (Omit<KeysUsage, 'keys'> & { busiest: BusyKey[] }) | null
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
  const keys = await keyTimes(ctx.db, ctx.caller.organizationId).execute()
  const ids = keys.map(({ id }) => id)
  const used = await usageOfAllKeys(ctx, ids)
  const usage = used && { days: used.days, at: used.at, busiest: await busiestOf(ctx, used, new Set(ids)) }
  return { ...countStates(keys, ctx.now()), usage }
}

/** As they are now: a key that was revoked since it was counted is left out. */
async function busiestOf({ db, caller }: Ctx, used: KeysUsage, existing: ReadonlySet<string>): Promise<BusyKey[]> {
  const first = used.keys.filter(({ id }) => existing.has(id)).slice(0, BUSIEST)
  if (first.length === 0) return []
  const ids = first.map(({ id }) => id)
  const keys = await db
    .selectFrom('apiKey')
    .select(API_KEY_COLUMNS)
    .where('organizationId', '=', caller.organizationId)
    .where('id', 'in', ids)
    .execute()
  return first.flatMap(({ id, calls, errors }) => {
    const apiKey = keys.find((key) => key.id === id)
    return apiKey ? [{ apiKey, calls, errors }] : []
  })
}
