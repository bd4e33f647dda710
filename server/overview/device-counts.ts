import type { Ctx } from '../ctx.ts'
import type { Database } from '../db/database.ts'
import type { Db } from '../db/tables.ts'
import { type DeviceStatus, hasStatus } from '../devices/device-status.ts'
import { Snapshots } from './snapshots.ts'

/** This many are counted in half a millisecond. */
const FEW = 5000

/** Devices by status, as of `at`. */
export interface DeviceCounts {
  total: number
  /** Null: of a large organization, and not counted yet. */
  counted: { online: number; offline: number; neverSeen: number; at: number } | null
}

const snapshotsOf = new WeakMap<Database['point'], Snapshots<StatusCounts>>()

/** How many devices the organization has, and how many of them are online now, or were a few seconds ago. */
export async function countDevices({ db, database, caller, now }: Ctx): Promise<DeviceCounts> {
  const { organizationId } = caller
  const at = now()
  const total = await storedCount(db, organizationId).executeTakeFirst()
  if (!total || total.devices <= FEW) return asCounts(await countByStatus(db, organizationId, at), at)
  const snapshots = snapshotsOf.get(database.point) ?? new Snapshots() // the same for all views of a database
  snapshotsOf.set(database.point, snapshots)
  const latest = await snapshots.latest(organizationId, at, () =>
    countByStatus(database.heavyRead({ organizationId }), organizationId, at),
  )
  return latest ? asCounts(latest.value, latest.at) : { total: total.devices, counted: null }
}

interface StatusCounts {
  total: number
  online: number
  neverSeen: number
}

/** In one statement, so that the numbers belong together. Devices that are offline are the rest. */
export const countByStatus = (db: Db, organizationId: string, at: number): Promise<StatusCounts> =>
  db
    .selectNoFrom([
      storedCount(db, organizationId).as('total'),
      withStatus(db, organizationId, 'ONLINE', at).as('online'),
      withStatus(db, organizationId, 'NEVER_SEEN', at).as('neverSeen'),
    ])
    .executeTakeFirstOrThrow()
    .then(({ total, online, neverSeen }) => ({ total: total ?? 0, online: online ?? 0, neverSeen: neverSeen ?? 0 }))

const storedCount = (db: Db, organizationId: string) =>
  db.selectFrom('deviceCount').select('devices').where('organizationId', '=', organizationId)

const withStatus = (db: Db, organizationId: string, status: DeviceStatus, at: number) =>
  db
    .selectFrom('device')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('device.organizationId', '=', organizationId)
    .where(hasStatus(status, at, 'index'))

function asCounts({ total, online, neverSeen }: StatusCounts, at: number): DeviceCounts {
  return { total, counted: { online, neverSeen, offline: total - online - neverSeen, at } }
}
