import type { Ctx } from '../ctx.ts'
import { STORED_KINDS, type StoredKind } from '../db/byte-budgets.ts'
import { ALL_PERIODS, dayOf } from '../db/stored-bytes.ts'
import { DAY } from '../lib/clock.ts'
import { LIMITS } from '../limits.ts'

/** As the API has them. */
const NAMES = {
  audit_bytes_a_day: 'AUDIT_LOG',
  answer_bytes: 'RECORDED_ANSWERS',
  delivery_bytes: 'WAITING_DELIVERIES',
} as const satisfies Record<StoredKind, string>

/** How many bytes an organization has of what it may store. */
export interface StoredBytes {
  kind: (typeof NAMES)[StoredKind]
  bytes: number
  maxBytes: number
  /** When there are all of them again; null: as what is stored expires or is delivered. */
  resetAt: number | null
}

/** Of each kind, also of those of which nothing is stored. */
export async function storedBytes({ db, caller, now }: Ctx): Promise<StoredBytes[]> {
  const today = dayOf(now())
  const rows = await db
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
