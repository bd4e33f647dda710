import { type Ctx, requireAdmin } from '../../ctx.ts'
import { DEVICE_COLUMNS, type Device } from '../../devices/stored-device.ts'

/** The devices that keys are bound to, in the order of the ids; null for one that does not exist. */
export async function devicesOfKeys({ db, caller }: Ctx, ids: readonly string[]): Promise<(Device | null)[]> {
  requireAdmin(caller)
  const found = await db
    .selectFrom('device')
    .select(DEVICE_COLUMNS)
    .where('organizationId', '=', caller.organizationId)
    .where('id', 'in', [...new Set(ids)])
    .execute()
  const byId = new Map(found.map((device) => [device.id, device]))
  return ids.map((id) => byId.get(id) ?? null)
}
