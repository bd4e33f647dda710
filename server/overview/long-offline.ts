import type { Ctx } from '../caller/ctx.ts'
import type { Db } from '../db/tables.ts'
import { DEVICE_COLUMNS, type Device } from '../devices/stored-device.ts'
import { DAY } from '../lib/clock.ts'

/** A device that checks in once a day is not offline for longer than usual before this. */
const LONG_MS = DAY
/** What has been away for longer is given up, or was never more than a trial. */
const GIVEN_UP_MS = 30 * DAY
/** So many are looked at, those first that went offline last. */
export const MAX_COUNTED = 1000

/** How many enabled devices are offline for longer than usual, at most 1,000, and the first of them. */
export async function longOffline(
  { reads, caller: { organizationId }, now }: Ctx,
  limit: number,
): Promise<{ count: number; first: Device[] }> {
  const found = await idsOfLongOffline(reads, organizationId, now()).execute()
  const ids = found.slice(0, limit).map(({ id }) => id)
  if (ids.length === 0) return { count: 0, first: [] }
  const first = await reads
    .selectFrom('device')
    .select(DEVICE_COLUMNS)
    .where('organizationId', '=', organizationId)
    .where('id', 'in', ids)
    .orderBy('lastSeenAt', 'desc')
    .execute()
  return { count: found.length, first }
}

/** By the index on the last check-in, from which a bounded number is read, however many of them are disabled. */
export const idsOfLongOffline = (db: Db, organizationId: string, now: number) =>
  db
    .selectFrom(
      db
        .selectFrom('device')
        .select(['id', 'enabled', 'lastSeenAt'])
        .where('organizationId', '=', organizationId)
        .where('lastSeenAt', '<', now - LONG_MS)
        .where('lastSeenAt', '>=', now - GIVEN_UP_MS)
        .orderBy('lastSeenAt', 'desc')
        .limit(MAX_COUNTED)
        .as('recent'),
    )
    .select('id')
    .where('enabled', '=', 1)
    .orderBy('lastSeenAt', 'desc')
