import type { Ctx } from '../caller/ctx.ts'
import type { Db } from '../db/tables.ts'
import { type DeviceStatus, hasStatus } from '../devices/device-status.ts'
import { Snapshots } from './snapshots.ts'

/** This many are counted in half a millisecond. */
const FEW = 5000

export interface DeviceCounts {
  total: number
  /** Null, as what follows: of a large organization, and not counted yet. */
  online: number | null
  offline: number | null
  neverSeen: number | null
  countedAt: number | null
}

const NOT_COUNTED = { online: null, offline: null, neverSeen: null, countedAt: null }

const snapshots = new Snapshots<StatusCounts>()

/** How many devices the organization has, and how many of them are online now, or were a few seconds ago. */
export async function countDevices({ reads, database, caller, now }: Ctx): Promise<DeviceCounts> {
  const { organizationId } = caller
  const at = now()
  const total = await storedCount(reads, organizationId).executeTakeFirst()
  if (!total || total.devices <= FEW) return asCounts(await countByStatus(reads, organizationId, at), at)
  const latest = await snapshots.latest(organizationId, at, () =>
    countByStatus(database.heavyRead({ organizationId }), organizationId, at),
  )
  return latest ? asCounts(latest.value, latest.at) : { total: total.devices, ...NOT_COUNTED }
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

function asCounts({ total, online, neverSeen }: StatusCounts, countedAt: number): DeviceCounts {
  return { total, online, neverSeen, offline: total - online - neverSeen, countedAt }
}
