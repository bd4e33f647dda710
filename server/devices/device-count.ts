import { sql } from 'kysely'
import type { Ctx } from '../ctx.ts'
import { atTheEnd } from '../db/locks.ts'
import { LIMITS, limitExceeded } from '../limits.ts'

/*
 * How many devices an organization has, kept beside them: to count a million for every new one would hold up everybody. In a
 * table of its own, so that new devices do not wait for what is done to the organization.
 */

/** One device more, or a refusal where there are as many as there may be. */
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
    `An organization has at most ${LIMITS.devices.toLocaleString('en')} devices: delete those that are gone.`,
  )
}

/** One device less. */
export const countGoneDevice = ({ db, caller }: Ctx): Promise<void> =>
  atTheEnd(
    db,
    db
      .updateTable('deviceCount')
      .set((eb) => ({ devices: eb('devices', '-', 1) }))
      .where('organizationId', '=', caller.organizationId)
      .where('devices', '>', 0),
  )
