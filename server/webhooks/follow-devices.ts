import { sql } from 'kysely'
import type { Ctx } from '../ctx.ts'
import { offlineBefore } from '../devices/device-status.ts'

/** From now on the devices of an organization are watched: those that are offline already are not reported. */
export async function followDevices({ db, caller, now }: Ctx): Promise<void> {
  const position = { offlineSeenAt: offlineBefore(now()), offlineDeviceId: '' }
  await db
    .insertInto('webhookProgress')
    .values({ organizationId: caller.organizationId, version: 0, ...position })
    .onConflict((conflict) =>
      conflict.column('organizationId').doUpdateSet({
        offlineSeenAt: sql`excluded."offlineSeenAt"`,
        offlineDeviceId: sql`excluded."offlineDeviceId"`,
      }),
    )
    .execute()
}
