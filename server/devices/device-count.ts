import { sql } from 'kysely'
import type { Ctx } from '../ctx.ts'
import { deferToCommit } from '../db/locks.ts'
import { LIMITS, limitExceeded } from '../limits.ts'

/*
 * How many devices an organization has, stored: counting a million for every new one would block everybody else. In a
 * table of its own, so that new devices do not wait for changes of the organization.
 */

/** One device more, or a refusal at the maximum. */
export async function countNewDevice({ db, caller }: Ctx): Promise<void> {
  const counted = await db
    .insertInto('deviceCount')
    .values({ organizationId: caller.organizationId, devices: 1 })
    .onConflict((conflict) =>
      conflict
        .column('organizationId')
        .doUpdateSet({ devices: sql`"deviceCount"."devices" + 1` })
        .where('deviceCount.devices', '<', LIMITS.devices),
    )
    .returning('devices')
    .executeTakeFirst()
  if (counted) return
  throw limitExceeded(
    'devices',
    `An organization has at most ${LIMITS.devices.toLocaleString('en')} devices: delete those that no longer exist.`,
  )
}

/** One device less. */
export const countGoneDevice = ({ db, caller }: Ctx): Promise<void> =>
  deferToCommit(
    db,
    db
      .updateTable('deviceCount')
      .set((eb) => ({ devices: eb('devices', '-', 1) }))
      .where('organizationId', '=', caller.organizationId)
      .where('devices', '>', 0),
  )
