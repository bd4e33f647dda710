import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { MINUTE } from '../lib/clock.ts'
import type { Device } from './stored-device.ts'

const ONLINE_FOR_MS = 5 * MINUTE

export const DEVICE_STATUSES = ['ONLINE', 'OFFLINE', 'NEVER_SEEN'] as const
export type DeviceStatus = (typeof DEVICE_STATUSES)[number]

/** A device whose last check-in was before this is offline. */
export const offlineBefore = (now: number) => now - ONLINE_FOR_MS

/** When a device goes offline that has not checked in since this time. */
export const offlineSince = (lastSeenAt: number) => lastSeenAt + ONLINE_FOR_MS

/** Online for five minutes after a check-in, offline from then on. */
export function statusOf({ lastSeenAt }: Pick<Device, 'lastSeenAt'>, now: number): DeviceStatus {
  if (lastSeenAt === null) return 'NEVER_SEEN'
  return lastSeenAt >= now - ONLINE_FOR_MS ? 'ONLINE' : 'OFFLINE'
}

/** `statusOf` in SQL, as a range of the index on `lastSeenAt`; or as a filter on devices read in another order. */
export function hasStatus(status: DeviceStatus, now: number, by: 'index' | 'looking'): Expression<SqlBool> {
  const eb = expressionBuilder<Tables, 'device'>()
  const lastSeenAt = by === 'index' ? eb.ref('device.lastSeenAt') : sql<number | null>`+${eb.ref('device.lastSeenAt')}`
  switch (status) {
    case 'ONLINE':
      return eb(lastSeenAt, '>=', now - ONLINE_FOR_MS)
    case 'OFFLINE':
      return eb(lastSeenAt, '<', now - ONLINE_FOR_MS)
    case 'NEVER_SEEN':
      return eb('device.lastSeenAt', 'is', null) // they have an index of their own, in the order of the list
  }
}
