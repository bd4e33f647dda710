export const name = 'devices that were never seen'

/**
 * On PostgreSQL, rows without a time are not one ordered range of the index on it, so they need an index of their own.
 */
export const up = () =>
  `create index "deviceNeverSeen" on "device" ("organizationId", "nameKey", "id") where "lastSeenAt" is null`
