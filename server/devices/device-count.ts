import { type Expression, sql } from 'kysely'
import type { TransactionCtx } from '../caller/ctx.ts'
import { LIMITS, limitExceeded } from '../config/limits.ts'

/* Stored, since counting a million blocks everybody else; in a table of its own, so that new devices do not wait for the organization. */

/** So many devices more, or as many of them as there is room for: returns how many. */
export async function countUpTo(ctx: TransactionCtx, devices: number): Promise<number> {
  const { db, caller } = ctx
  const { organizationId } = caller
  if (devices === 0) return 0
  const counted = await db
    .insertInto('deviceCount')
    .values({ organizationId, devices })
    .onConflict((conflict) =>
      conflict
        .column('organizationId')
        .doUpdateSet({ devices: more(devices) })
        .where(more(devices), '<=', LIMITS.devices),
    )
    .returning('devices')
    .executeTakeFirst()
  if (counted) return devices
  // The statement above has locked the row, so what it holds stays.
  const count = db.selectFrom('deviceCount').select('devices').where('organizationId', '=', organizationId)
  const { devices: before } = await count.executeTakeFirstOrThrow()
  return countUpTo(ctx, Math.max(0, LIMITS.devices - before))
}

const more = (devices: number): Expression<number> => sql<number>`"deviceCount"."devices" + ${devices}`

export const tooManyDevices = () =>
  limitExceeded(
    'devices',
    `An organization has at most ${LIMITS.devices.toLocaleString('en')} devices: delete those that no longer exist.`,
  )

export const countGone = ({ db, caller }: TransactionCtx, devices: number): Promise<void> =>
  db.defer(
    db
      .updateTable('deviceCount')
      .set({ devices: sql<number>`case when "devices" > ${devices} then "devices" - ${devices} else 0 end` })
      .where('organizationId', '=', caller.organizationId),
  )
