import { LIMITS } from '../../../server/config/limits.ts'
import type { StoredKind } from '../../../server/db/byte-budgets.ts'
import { ALL_PERIODS, dayOf } from '../../../server/db/stored-bytes.ts'
import type { World } from './world.ts'

type Stores = Pick<World, 'database' | 'clock'>

const periodOf = ({ clock }: Stores, kind: StoredKind) =>
  kind === 'audit_bytes_a_day' ? dayOf(clock.now()) : ALL_PERIODS

/** How many bytes an organization has of a kind. */
export async function bytesOf(world: Stores, organizationId: string, kind: StoredKind): Promise<number> {
  const row = await world.database.read
    .selectFrom('storedBytes')
    .select('bytes')
    .where('organizationId', '=', organizationId)
    .where('kind', '=', kind)
    .where('period', '=', periodOf(world, kind))
    .executeTakeFirst()
  return row?.bytes ?? 0
}

/** As if an organization had stored so many bytes before. */
export function setBytes(world: Stores, organizationId: string, kind: StoredKind, bytes: number): Promise<unknown> {
  const row = { organizationId, kind, period: periodOf(world, kind), bytes, atMost: Number.MAX_SAFE_INTEGER }
  return world.database.transaction((db) =>
    db
      .insertInto('storedBytes')
      .values(row)
      .onConflict((conflict) => conflict.columns(['organizationId', 'kind', 'period']).doUpdateSet(row))
      .execute(),
  )
}

/** From here on nothing more fits, not even what may go a little beyond. */
export async function useUp(world: Stores, organizationId: string): Promise<void> {
  await setBytes(world, organizationId, 'audit_bytes_a_day', 2 * LIMITS.audit_bytes_a_day)
  await setBytes(world, organizationId, 'answer_bytes', LIMITS.answer_bytes)
  await setBytes(world, organizationId, 'delivery_bytes', 2 * LIMITS.delivery_bytes)
}

/** How many bytes more an organization has of a kind afterwards. */
export async function bytesBy(
  world: Stores,
  organizationId: string,
  kind: StoredKind,
  work: () => Promise<unknown>,
): Promise<number> {
  const before = await bytesOf(world, organizationId, kind)
  await work()
  return (await bytesOf(world, organizationId, kind)) - before
}
