import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { Device, DeviceColumn } from './stored-device.ts'

interface PlainPages {
  first(db: Db, values: { organizationId: string; limit: number }): Promise<Partial<Device>[]>
  next(
    db: Db,
    values: { organizationId: string; limit: number; nameKey: string; id: string },
  ): Promise<Partial<Device>[]>
}

const known = new WeakMap<readonly DeviceColumn[], PlainPages>()

/** The devices of an organization page by page, without filters: the path of most requests. */
export function plainPages(columns: readonly DeviceColumn[]): PlainPages {
  const before = known.get(columns)
  if (before) return before
  const pages = preparePages(columns)
  known.set(columns, pages)
  return pages
}

function preparePages(columns: readonly DeviceColumn[]): PlainPages {
  const inOrder = (db: Db, organizationId: string, limit: number) =>
    db
      .selectFrom('device')
      .select(columns)
      .where('organizationId', '=', organizationId)
      .orderBy('nameKey')
      .orderBy('id')
      .limit(limit)
  return {
    first: prepared((db, values: { organizationId: string; limit: number }) =>
      inOrder(db, values.organizationId, values.limit),
    ),
    next: prepared((db, values: { organizationId: string; limit: number; nameKey: string; id: string }) =>
      inOrder(db, values.organizationId, values.limit).where((eb) =>
        eb(eb.refTuple('nameKey', 'id'), '>', eb.tuple(values.nameKey, values.id)),
      ),
    ),
  }
}
